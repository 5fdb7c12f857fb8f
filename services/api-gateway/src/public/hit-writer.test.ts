import { expect, test } from '@jest/globals'
import { createLogger } from '@posthorn/telemetry'
import { eventually } from '@posthorn/testkit'
import { createHitWriter } from './hit-writer.ts'

const log = createLogger('test', 'silent')

function writerOf(write: (batch: readonly number[]) => Promise<void>) {
  const lost: number[] = []
  const writer = createHitWriter<number>({
    write,
    log,
    isPermanentError: (error) => error instanceof TypeError,
    onLost: (hits) => lost.push(...hits),
    retryMs: 1,
    maxWaiting: 300,
  })
  return { writer, lost }
}

test('createHitWriter: after a failed write, retries in order', async () => {
  let down = true
  const stored: number[] = []
  const { writer, lost } = writerOf(async (batch) => {
    if (down) throw new Error('down')
    stored.push(...batch)
  })
  for (let n = 0; n < 250; n += 1) expect(writer.add(n)).toBe(true)
  down = false
  await eventually(() => expect(stored).toHaveLength(250))
  expect(stored).toEqual(Array.from({ length: 250 }, (_, n) => n))
  await writer[Symbol.asyncDispose]()
  expect(lost).toEqual([])
})

test('createHitWriter: queue full, rejects; at disposal reports the lost hits', async () => {
  const { writer, lost } = writerOf(() => Promise.reject(new Error('down')))
  const accepted = Array.from({ length: 400 }, (_, n) => writer.add(n)).filter(Boolean)
  expect(accepted).toHaveLength(300)
  await writer[Symbol.asyncDispose]()
  expect(lost).toEqual(Array.from({ length: 300 }, (_, n) => n))
  expect(writer.add(1)).toBe(false)
})

test('createHitWriter: permanent error, drops the batch and writes the next', async () => {
  const stored: number[] = []
  const { writer, lost } = writerOf(async (batch) => {
    if (batch.includes(0)) throw new TypeError('bad')
    stored.push(...batch)
  })
  writer.add(0)
  await eventually(() => expect(lost).toEqual([0]))
  writer.add(1)
  await eventually(() => expect(stored).toEqual([1]))
  await writer[Symbol.asyncDispose]()
})

test('createHitWriter: at disposal, writes the waiting hits', async () => {
  const stored: number[] = []
  const { writer, lost } = writerOf(async (batch) => {
    await new Promise<void>((resolve) => setImmediate(resolve))
    stored.push(...batch)
  })
  for (let n = 0; n < 250; n += 1) writer.add(n)
  await writer[Symbol.asyncDispose]()
  expect([stored.length, lost]).toEqual([250, []])
})
