import { describe, expect, test } from '@jest/globals'
import { BodyMemoryLimiter } from './body-memory.ts'

const never = new AbortController().signal
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
