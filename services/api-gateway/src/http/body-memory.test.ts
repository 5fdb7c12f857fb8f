import { expect, test } from '@jest/globals'
import { BodyMemoryLimiter } from './body-memory.ts'

const mebibyte = 1024 * 1024
const upload = { bodyLimit: 'upload' } as const
const never = new AbortController().signal
const long = (mebibytes: number) => ({
  headers: { 'content-length': String(mebibytes * mebibyte) },
})
const room = () => new BodyMemoryLimiter({ maxUploadBytes: 10 * mebibyte, maxWaitMs: 20 })

test('two of the largest bodies find room, a third when one of them is done with', async () => {
  const bodies = new BodyMemoryLimiter({ maxUploadBytes: 10 * mebibyte })
  const first = await bodies.acquireForBody(upload, long(10), never)
  await bodies.acquireForBody(upload, { headers: { 'transfer-encoding': 'chunked' } }, never)
  const third = bodies.acquireForBody(upload, long(2), never)
  first?.[Symbol.dispose]()
  expect(await third).toBeDefined()
})

test('who waits for long is told to come again', async () => {
  const bodies = room()
  for (let n = 0; n < 2; n++) await bodies.acquireForBody(upload, long(10), never)
  await expect(bodies.acquireForBody(upload, long(2), never)).rejects.toMatchObject({
    kind: 'unavailable',
  })
  const gone = AbortSignal.abort(new Error('left'))
  await expect(bodies.acquireForBody(upload, long(2), gone)).rejects.toThrow('left')
})

test('small bodies, those of other operations and those that are refused anyway wait for nobody', async () => {
  const bodies = room()
  for (let n = 0; n < 2; n++) await bodies.acquireForBody(upload, long(10), never)
  expect(await bodies.acquireForBody(upload, long(1), never)).toBeUndefined()
  expect(await bodies.acquireForBody(upload, long(11), never)).toBeUndefined()
  expect(await bodies.acquireForBody(upload, { headers: {} }, never)).toBeUndefined()
  expect(await bodies.acquireForBody({}, long(10), never)).toBeUndefined()
})
