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

test('chunks come out in order, then the end', async () => {
  const { stream, calls } = open()
  stream.push(0, bytes('a'))
  stream.push(1, bytes('b'))
  stream.end(2)
  const read: string[] = []
  for await (const chunk of stream) read.push(String(chunk))
  expect(read).toEqual(['a', 'b'])
  expect(calls).toEqual(['closed'])
})

test('a missing chunk is an error, and ends the sender', async () => {
  const { stream, calls } = open()
  stream.push(0, bytes('a'))
  stream.push(2, bytes('c'))
  expect(String((await stream.next()).value)).toBe('a')
  await expect(stream.next()).rejects.toEqual(broken)
  expect(calls).toEqual(['cancel', 'closed'])
})

test('an end that comes too early is an error', async () => {
  const { stream } = open()
  stream.push(0, bytes('a'))
  stream.end(2)
  await stream.next()
  await expect(stream.next()).rejects.toEqual(broken)
})

test('a sender that sends more than was granted is cut off', async () => {
  const { stream, calls } = open()
  for (let n = 0; n <= windowChunks; n += 1) stream.push(n, bytes('x'))
  expect(calls).toEqual(['cancel', 'closed'])
})

test('room is granted for what was read, never for what lies unread', async () => {
  const { stream, granted } = open()
  for (let n = 0; n < windowChunks; n += 1) stream.push(n, bytes('x'))
  expect(granted).toEqual([])
  for (let n = 0; n < windowChunks; n += 1) await stream.next()
  expect(granted).toEqual([windowChunks / 2, windowChunks / 2])
  await stream.return()
})

test('an error of the sender comes once, after what was sent before it', async () => {
  const { stream, calls } = open()
  stream.push(0, bytes('a'))
  stream.onFailure(new AppError('unreachable', 'hung up'))
  expect(String((await stream.next()).value)).toBe('a')
  await expect(stream.next()).rejects.toThrow('hung up')
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  expect(calls).toEqual(['closed'])
})

test('a reader that waits longer than the time limit is told, and the sender is ended', async () => {
  const { stream, calls } = open(20)
  await expect(stream.next()).rejects.toMatchObject({ code: 'Timeout' })
  expect(calls).toEqual(['cancel', 'closed'])
})

test('a return ends a read under way', async () => {
  const { stream, calls } = open()
  const reading = stream.next()
  await stream.return()
  expect(await reading).toEqual({ done: true, value: undefined })
  expect(calls).toEqual(['cancel', 'closed'])
})
