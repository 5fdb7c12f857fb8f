import { describe, expect, test } from '@jest/globals'
import { BodyMemoryLimiter, type UploadBody, UploadMemory } from './body-memory.ts'

const mebibyte = 1024 * 1024
const operation = { bodyLimit: 'upload' } as const
const chunked = { headers: { 'transfer-encoding': 'chunked' } }
const never = new AbortController().signal
const bodyOf = (mebibytes: number) => ({
  headers: { 'content-length': String(mebibytes * mebibyte) },
})
const createMemory = ({ maxWaitMs = 60_000, stallMs = 60_000 } = {}) =>
  new UploadMemory({ maxUploadBytes: 10 * mebibyte, maxWaitMs, stallMs })

/** Opens the reading of a request body that must reserve memory. */
async function openLarge(memory: UploadMemory, owner: string, request = bodyOf(10)) {
  const upload = await memory.open({ operation, request, owner, signal: never })
  if (!upload) throw new Error('the body needs no memory')
  return upload
}

/** Receives a number of MiB of a request body in chunks of 1 MiB. */
async function receive(upload: UploadBody, mebibytes: number): Promise<void> {
  for (let n = 0; n < mebibytes; n += 1) await upload.admit(mebibyte)
}

describe('UploadMemory', () => {
  test('slow bodies of one owner, wait for each other and delay no other owner', async () => {
    const memory = createMemory({ maxWaitMs: 20 })
    using slow = await openLarge(memory, 'a', chunked as never)
    await expect(openLarge(memory, 'a', chunked as never)).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'Too many concurrent uploads, retry later',
    })
    await slow.admit(10)
    using other = await openLarge(memory, 'b')
    await receive(other, 10)
  })

  test('complete body of one owner in memory, others are read one at a time and all end', async () => {
    const memory = createMemory()
    using first = await openLarge(memory, 'a')
    await receive(first, 10)
    const ends: string[] = []
    const read = async (owner: string) => {
      using upload = await openLarge(memory, owner)
      await receive(upload, 10)
      ends.push(owner)
    }
    await Promise.all(['b', 'c', 'd'].map(read))
    expect(ends.sort()).toEqual(['b', 'c', 'd'])
  })

  test('more than the memory of all, waits at most maxWaitMs, or until the client disconnects', async () => {
    const memory = createMemory({ maxWaitMs: 20 })
    using first = await openLarge(memory, 'a')
    await receive(first, 10)
    using second = await openLarge(memory, 'b')
    await receive(second, 10)
    using third = await openLarge(memory, 'c')
    await expect(receive(third, 10)).rejects.toMatchObject({ kind: 'unavailable' })
    const signal = AbortSignal.abort(new Error('left'))
    const late = memory.open({ operation, request: bodyOf(2), owner: 'a', signal })
    await expect(late).rejects.toThrow('left')
  })

  test('body that stops arriving, is stalled; a complete body is not', async () => {
    const memory = createMemory({ stallMs: 20 })
    using complete = await openLarge(memory, 'a')
    complete.complete()
    using upload = await openLarge(memory, 'b')
    await upload.admit(10)
    await expect(upload.stalled).rejects.toMatchObject({ kind: 'timeout' })
    const pending = Symbol('pending')
    expect(await Promise.race([complete.stalled, Promise.resolve(pending)])).toBe(pending)
  })

  test('small bodies, bodies of other operations and oversized bodies need no memory', async () => {
    const memory = createMemory({ maxWaitMs: 20 })
    using _first = await openLarge(memory, 'a')
    const open = (request: { headers: Record<string, string> }, each: object = operation) =>
      memory.open({ operation: each, request, owner: 'a', signal: never })
    expect(await open(bodyOf(1))).toBeUndefined()
    expect(await open(bodyOf(11))).toBeUndefined()
    expect(await open({ headers: {} })).toBeUndefined()
    expect(await open(bodyOf(10), {})).toBeUndefined()
  })
})

const createLimiter = () => new BodyMemoryLimiter({ maxUploadBytes: 10, maxWaitMs: 20 })

describe('BodyMemoryLimiter', () => {
  test('with two of the largest messages, admits a third after one is released', async () => {
    const bodies = new BodyMemoryLimiter({ maxUploadBytes: 10 })
    const first = await bodies.acquire(10, never)
    await bodies.acquire(10, never)
    const third = bodies.acquire(2, never)
    first[Symbol.dispose]()
    expect(await third).toBeDefined()
  })

  test('after maxWaitMs, rejects with unavailable; an aborted signal rejects with its reason', async () => {
    const bodies = createLimiter()
    for (let n = 0; n < 2; n++) await bodies.acquire(10, never)
    await expect(bodies.acquire(2, never)).rejects.toMatchObject({ kind: 'unavailable' })
    const aborted = AbortSignal.abort(new Error('left'))
    await expect(bodies.acquire(2, aborted)).rejects.toThrow('left')
  })
})
