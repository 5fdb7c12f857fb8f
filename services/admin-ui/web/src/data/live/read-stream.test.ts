import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { readStream, type StreamFrame } from './read-stream.ts'

const text =
  ': Posthorn v1\n\nid: 7\n\nid: 8\nevent: message\ndata: {"a":"ä: y"}\n\n: keep-alive\n\nid: 9\n'
const expected = [{ id: '7' }, { id: '8', event: 'message', data: '{"a":"ä: y"}' }]

test('readStream: reads frames that are split at any byte, without comments', async () => {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at <= bytes.length; at += 1) {
    const body = ReadableStream.from([bytes.subarray(0, at), bytes.subarray(at)])
    const frames: StreamFrame[] = []
    const stream = readStream({
      open: () => Promise.resolve(new Response(body)),
      silenceMs: 1_000,
      signal: new AbortController().signal,
    })
    for await (const some of stream) frames.push(...some)
    expect(frames).toEqual(expected)
  }
})

describe('readStream of a connection that stays open', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  /**
   * Opens an event stream that is silent after the first frame, and breaks when the signal aborts.
   */
  function startSilent() {
    const bytes = new TextEncoder().encode('id: 1\n\n')
    let connection: AbortSignal | undefined
    const open = (signal: AbortSignal) => {
      connection = signal
      const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        controller.enqueue(bytes)
        signal.addEventListener('abort', () => controller.error(new Error('aborted')))
      }
      return Promise.resolve(new Response(new ReadableStream({ start })))
    }
    const stream = readStream({ open, silenceMs: 1_000, signal: new AbortController().signal })
    return { stream, isAborted: () => connection?.aborted }
  }

  test('silence: fails after the maximum time', async () => {
    const { stream, isAborted } = startSilent()
    expect(await stream.next()).toEqual({ done: false, value: [{ id: '1' }] })
    const next = expect(stream.next()).rejects.toThrow('aborted')
    await jest.advanceTimersByTimeAsync(999)
    expect(isAborted()).toBe(false)
    await jest.advanceTimersByTimeAsync(1)
    await next
  })

  test('a reader that stops: ends the connection and its timer', async () => {
    const { stream, isAborted } = startSilent()
    for await (const frames of stream) if (frames.length > 0) break
    expect([isAborted(), jest.getTimerCount()]).toEqual([true, 0])
  })
})
