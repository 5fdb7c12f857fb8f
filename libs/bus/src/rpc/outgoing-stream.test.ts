import { expect, test } from '@jest/globals'
import { Credit, sendStream } from './outgoing-stream.ts'
import { chunkBytes, windowChunks } from './frames.ts'

const noSignal = new AbortController().signal

async function* endless(taken: { pieces: number }, ended?: () => void) {
  try {
    for (;;) {
      taken.pieces += 1
      yield Buffer.from('x')
    }
  } finally {
    ended?.()
  }
}

test('sendStream: splits large pieces and numbers the chunks', async () => {
  const sent: [number, number][] = []
  const count = await sendStream({
    body: (async function* () {
      yield Buffer.alloc(chunkBytes * 2 + 1)
      yield Buffer.alloc(0)
      yield new Uint8Array(7)
    })(),
    credit: new Credit(1_000),
    signal: noSignal,
    send: (number, chunk) => sent.push([number, chunk.length]),
  })
  expect(count).toBe(4)
  expect(sent).toEqual([
    [0, chunkBytes],
    [1, chunkBytes],
    [2, 1],
    [3, 7],
  ])
})

test('sendStream: sends at most one window, then as granted', async () => {
  const taken = { pieces: 0 }
  let sent = 0
  const credit = new Credit(60_000)
  const stop = new AbortController()
  const step = Promise.withResolvers<void>()
  const sending = sendStream({
    body: endless(taken),
    credit,
    signal: stop.signal,
    send: () => {
      sent += 1
      if (sent === windowChunks + 3) step.resolve()
    },
  })
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve()
  expect(sent).toBe(windowChunks)
  credit.grant(0)
  credit.grant(3)
  await step.promise
  stop.abort(new Error('enough'))
  await expect(sending).rejects.toThrow('enough')
  expect(taken.pieces).toBeLessThanOrEqual(windowChunks + 4)
})

test('sendStream: an idle reader ends the stream and returns the body', async () => {
  const ended = Promise.withResolvers<void>()
  const sending = sendStream({
    body: endless({ pieces: 0 }, ended.resolve),
    credit: new Credit(10),
    signal: noSignal,
    send: () => undefined,
  })
  await expect(sending).rejects.toMatchObject({ code: 'Timeout' })
  await ended.promise
})

test('sendStream: does not wait for a hanging body', async () => {
  const stop = new AbortController()
  const body = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }),
  }
  const sending = sendStream({
    body,
    credit: new Credit(1_000),
    signal: stop.signal,
    send: () => undefined,
  })
  stop.abort(new Error('cancelled'))
  await expect(sending).rejects.toThrow('cancelled')
})
