import { expect, test } from '@jest/globals'
import { setImmediate as turn } from 'node:timers/promises'
import { createClaimLock } from './claim-lock.ts'

/** A claim that ends when it is told to. */
function claim() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  return {
    begun: false,
    end: resolve,
    fail: reject,
    work() {
      this.begun = true
      return promise
    },
  }
}

test('claims of new deliveries run side by side; one of due deliveries waits for them, and they for it', async () => {
  const claims = createClaimLock()
  const [one, two, late, due] = [claim(), claim(), claim(), claim()]
  const ends = [claims.shared(() => one.work()), claims.shared(() => two.work())]
  ends.push(claims.exclusive(() => due.work()))
  ends.push(claims.shared(() => late.work()))
  await turn()
  expect([one.begun, two.begun, due.begun, late.begun]).toEqual([true, true, false, false])
  one.end()
  await turn()
  expect(due.begun).toBe(false)
  two.end()
  await turn()
  expect([due.begun, late.begun]).toEqual([true, false])
  due.end()
  await turn()
  expect(late.begun).toBe(true)
  late.end()
  await Promise.all(ends)
})

test('a claim that fails is told so, and ends like any other', async () => {
  const claims = createClaimLock()
  const [fresh, due] = [claim(), claim()]
  const failing = claims.shared(() => fresh.work())
  const failingDue = claims.exclusive(() => due.work())
  fresh.fail(new Error('away'))
  await expect(failing).rejects.toThrow('away')
  due.fail(new Error('away, too'))
  await expect(failingDue).rejects.toThrow('away, too')
  await claims.idle()
  expect(await claims.exclusive(async () => 'again')).toBe('again')
})

test('who waits for the end waits for those under way', async () => {
  const claims = createClaimLock()
  const due = claim()
  let ended = false
  const claimed = claims.exclusive(() => due.work())
  const waiting = claims.idle().then(() => (ended = true))
  await turn()
  expect(ended).toBe(false)
  due.end()
  await Promise.all([claimed, waiting])
})
