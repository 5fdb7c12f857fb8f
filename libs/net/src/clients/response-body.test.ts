import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { ResponseBody } from '../clients/response-body.ts'

/** Fakes all timers except the timers that Node's streams use. */
beforeEach(
  () =>
    void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'Date'] }),
)
afterEach(() => void jest.useRealTimers())

function create({ idleTimeoutMs = 1_000, timeoutMs = Infinity } = {}) {
  const incoming = new PassThrough() as PassThrough & IncomingMessage
  const limits = { maxBytes: 1_000_000, idleTimeoutMs, timeoutMs }
  const toError = (error: Error) => error
  const body = new ResponseBody({ incoming, decoded: incoming, ...limits, toError })
  const reader = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  return { incoming, body, reader }
}
const timeout = expect.objectContaining({ name: 'HttpError', outcome: 'response-timeout' })

test('ResponseBody: a byte per idle period, ends after the time of the server in all', async () => {
  const { incoming, body, reader } = create({ timeoutMs: 5_000 })
  for (let n = 0; n < 9; n++) {
    const next = reader.next()
    jest.advanceTimersByTime(500)
    incoming.write('x')
    await next
  }
  const last = reader.next()
  last.catch(() => undefined)
  expect(body.destroyed).toBe(false)
  jest.advanceTimersByTime(500)
  await expect(last).rejects.toEqual(timeout)
  expect(incoming.destroyed).toBe(true)
})

test('ResponseBody: a reader that pauses, does not use up the time of the server', async () => {
  const { incoming, body, reader } = create({ timeoutMs: 5_000 })
  incoming.write('x')
  await reader.next()
  incoming.write(Buffer.alloc(200_000))
  await setImmediate()
  // The buffer of the HTTP response body is full, so that the body waits for its reader.
  expect(body.readableLength).toBeGreaterThanOrEqual(body.readableHighWaterMark)
  jest.advanceTimersByTime(600_000)
  incoming.end()
  let bytes = 0
  for (let next = await reader.next(); !next.done; next = await reader.next())
    bytes += next.value.length
  expect(bytes).toBe(200_000)
  expect(body.errored).toBeNull()
})
