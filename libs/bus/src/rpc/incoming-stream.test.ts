import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { IncomingStream } from './incoming-stream.ts'
import { windowChunks } from './frames.ts'

function open(timeoutMs = 60_000) {
  const granted: number[] = []
  const calls: string[] = []
  const stream = new IncomingStream({
    timeoutMs,
    grant: (chunks) => granted.push(chunks),
    cancel: () => calls.push('cancel'),
    onClose: () => calls.push('closed'),
  })
  return { stream, granted, calls }
}

const bytes = (words: string) => Buffer.from(words)
const broken = expect.objectContaining({ kind: 'unavailable', code: 'WorkerNotAvailable' })

test('IncomingStream: yields chunks in order, then ends', async () => {
  const { stream, calls } = open()
  stream.push(0, bytes('a'))
  stream.push(1, bytes('b'))
  stream.end(2)
  const read: string[] = []
  for await (const chunk of stream) read.push(String(chunk))
  expect(read).toEqual(['a', 'b'])
  expect(calls).toEqual(['closed'])
})

test('IncomingStream: a missing chunk fails and cancels the sender', async () => {
  const { stream, calls } = open()
  stream.push(0, bytes('a'))
  stream.push(2, bytes('c'))
  expect(String((await stream.next()).value)).toBe('a')
  await expect(stream.next()).rejects.toEqual(broken)
  expect(calls).toEqual(['cancel', 'closed'])
})

test('IncomingStream: an early end fails', async () => {
  const { stream } = open()
  stream.push(0, bytes('a'))
  stream.end(2)
  await stream.next()
  await expect(stream.next()).rejects.toEqual(broken)
})

test('IncomingStream: cancels a sender that exceeds its credit', async () => {
  const { stream, calls } = open()
  for (let n = 0; n <= windowChunks; n += 1) stream.push(n, bytes('x'))
  expect(calls).toEqual(['cancel', 'closed'])
})

test('IncomingStream: grants credit for read chunks only', async () => {
  const { stream, granted } = open()
  for (let n = 0; n < windowChunks; n += 1) stream.push(n, bytes('x'))
  expect(granted).toEqual([])
  for (let n = 0; n < windowChunks; n += 1) await stream.next()
  expect(granted).toEqual([windowChunks / 2, windowChunks / 2])
  await stream.return()
})

test('IncomingStream: reports an error of the sender once, after earlier chunks', async () => {
  const { stream, calls } = open()
  stream.push(0, bytes('a'))
  stream.onFailure(new AppError('unreachable', 'hung up'))
  expect(String((await stream.next()).value)).toBe('a')
  await expect(stream.next()).rejects.toThrow('hung up')
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  expect(calls).toEqual(['closed'])
})

test('IncomingStream: a reader that waits longer than the timeout fails and cancels the sender', async () => {
  const { stream, calls } = open(20)
  await expect(stream.next()).rejects.toMatchObject({ code: 'Timeout' })
  expect(calls).toEqual(['cancel', 'closed'])
})

test('IncomingStream: return ends a pending read', async () => {
  const { stream, calls } = open()
  const reading = stream.next()
  await stream.return()
  expect(await reading).toEqual({ done: true, value: undefined })
  expect(calls).toEqual(['cancel', 'closed'])
})
