import { describe, expect, test } from '@jest/globals'
import { BodyMemoryLimiter } from './body-memory.ts'

const mebibyte = 1024 * 1024
const upload = { bodyLimit: 'upload' } as const
const never = new AbortController().signal
const bodyOf = (mebibytes: number) => ({
  headers: { 'content-length': String(mebibytes * mebibyte) },
})
const createLimiter = () => new BodyMemoryLimiter({ maxUploadBytes: 10 * mebibyte, maxWaitMs: 20 })

describe('BodyMemoryLimiter', () => {
  test('with two of the largest bodies, admits a third after one is released', async () => {
    const bodies = new BodyMemoryLimiter({ maxUploadBytes: 10 * mebibyte })
    const first = await bodies.acquireForBody(upload, bodyOf(10), never)
    await bodies.acquireForBody(upload, { headers: { 'transfer-encoding': 'chunked' } }, never)
    const third = bodies.acquireForBody(upload, bodyOf(2), never)
    first?.[Symbol.dispose]()
    expect(await third).toBeDefined()
  })

  test('after maxWaitMs, rejects with unavailable; an aborted signal rejects with its reason', async () => {
    const bodies = createLimiter()
    for (let n = 0; n < 2; n++) await bodies.acquireForBody(upload, bodyOf(10), never)
    await expect(bodies.acquireForBody(upload, bodyOf(2), never)).rejects.toMatchObject({
      kind: 'unavailable',
    })
    const aborted = AbortSignal.abort(new Error('left'))
    await expect(bodies.acquireForBody(upload, bodyOf(2), aborted)).rejects.toThrow('left')
  })

  test('small bodies, bodies of other operations and oversized bodies do not wait', async () => {
    const bodies = createLimiter()
    for (let n = 0; n < 2; n++) await bodies.acquireForBody(upload, bodyOf(10), never)
    expect(await bodies.acquireForBody(upload, bodyOf(1), never)).toBeUndefined()
    expect(await bodies.acquireForBody(upload, bodyOf(11), never)).toBeUndefined()
    expect(await bodies.acquireForBody(upload, { headers: {} }, never)).toBeUndefined()
    expect(await bodies.acquireForBody({}, bodyOf(10), never)).toBeUndefined()
  })
})
