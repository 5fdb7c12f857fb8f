import { expect, test } from '@jest/globals'
import { setImmediate as turn } from 'node:timers/promises'
import { ClaimLock } from './in-flight-deliveries.ts'

/** Claim of webhook deliveries that ends when the test calls `end` or `fail`. */
function claim() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  return {
    started: false,
    end: resolve,
    fail: reject,
    work() {
      this.started = true
      return promise
    },
  }
}

test('ClaimLock: shared claims run concurrently, an exclusive one waits for them and they for it', async () => {
  const lock = new ClaimLock()
  const [one, two, late, due] = [claim(), claim(), claim(), claim()]
  const ends = [lock.shared(() => one.work()), lock.shared(() => two.work())]
  ends.push(lock.exclusive(() => due.work()))
  ends.push(lock.shared(() => late.work()))
  await turn()
  expect([one.started, two.started, due.started, late.started]).toEqual([true, true, false, false])
  one.end()
  await turn()
  expect(due.started).toBe(false)
  two.end()
  await turn()
  expect([due.started, late.started]).toEqual([true, false])
  due.end()
  await turn()
  expect(late.started).toBe(true)
  late.end()
  await Promise.all(ends)
})

test('ClaimLock: a failed claim rejects its caller and releases the lock', async () => {
  const lock = new ClaimLock()
  const [fresh, due] = [claim(), claim()]
  const failing = lock.shared(() => fresh.work())
  const failingDue = lock.exclusive(() => due.work())
  fresh.fail(new Error('down'))
  await expect(failing).rejects.toThrow('down')
  due.fail(new Error('also down'))
  await expect(failingDue).rejects.toThrow('also down')
  await lock.idle()
  expect(await lock.exclusive(async () => 'again')).toBe('again')
})

test('ClaimLock.idle: waits for the claims that started before', async () => {
  const lock = new ClaimLock()
  const due = claim()
  let idle = false
  const claimed = lock.exclusive(() => due.work())
  const waiting = lock.idle().then(() => (idle = true))
  await turn()
  expect(idle).toBe(false)
  due.end()
  await Promise.all([claimed, waiting])
})
