import { expect, test } from '@jest/globals'
import { atMost, Latch, orAbort, Slots } from './waiting.ts'

const never = new Promise<never>(() => undefined)
const noSignal = new AbortController().signal

test('waiting for a promise ends with it, or with the signal', async () => {
  await expect(orAbort(Promise.resolve(1), noSignal)).resolves.toBe(1)
  await expect(orAbort(Promise.reject(new Error('failed')), noSignal)).rejects.toThrow('failed')
  const abort = new AbortController()
  const waiting = orAbort(never, abort.signal)
  abort.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect(orAbort(never, abort.signal)).rejects.toThrow('enough')
})

test('closing things waits so long and no longer', async () => {
  await atMost(10_000, Promise.resolve())
  await atMost(10_000, Promise.reject(new Error('nobody minds')))
  await atMost(5, never)
})

test('a latch lets pass while it is open', async () => {
  const latch = new Latch()
  let passed = 0
  const pass = () => latch.whenOpen(noSignal).then(() => (passed += 1))
  const first = pass()
  expect([latch.isOpen, passed]).toEqual([false, 0])
  latch.open()
  await first
  await pass()
  expect(passed).toBe(2)
  latch.close()
  await expect(latch.whenOpen(AbortSignal.timeout(5))).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  expect(passed).toBe(2)
})

test('a latch that opens and closes at once lets nobody pass', async () => {
  const latch = new Latch()
  let passed = false
  const pass = latch.whenOpen(noSignal).then(() => (passed = true))
  latch.open()
  latch.close()
  await Promise.resolve()
  expect(passed).toBe(false)
  latch.open()
  await pass
})

test('slots are given in the order of asking', async () => {
  const slots = new Slots(2)
  const order: string[] = []
  await slots.take(noSignal)
  await slots.take(noSignal)
  const third = slots.take(noSignal).then(() => order.push('third'))
  const fourth = slots.take(noSignal).then(() => order.push('fourth'))
  slots.release()
  await third
  expect(order).toEqual(['third'])
  slots.release()
  await fourth
  expect(order).toEqual(['third', 'fourth'])
})

test('who gives up waiting for a slot leaves none behind', async () => {
  const slots = new Slots(1)
  await slots.take(noSignal)
  await expect(slots.take(AbortSignal.timeout(5))).rejects.toMatchObject({ name: 'TimeoutError' })
  slots.release()
  await slots.take(noSignal)
  await expect(slots.takeAll(AbortSignal.timeout(5))).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  slots.release()
  await slots.takeAll(noSignal)
})
