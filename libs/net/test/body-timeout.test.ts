import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, jest, test } from '@jest/globals'
import { timeoutsOnly } from '@posthorn/testkit'
import { createHttpCaller } from '../src/http-caller.ts'

afterEach(() => void jest.useRealTimers())

test('HttpCaller.open: with bodyTimeoutMs, timeoutMs ends at the head of the response', async () => {
  const rest = Promise.withResolvers<void>()
  const requested = Promise.withResolvers<void>()
  await using server = createServer((request, response) => {
    if (request.url === '/silent') return requested.resolve()
    response.write('first')
    void rest.promise.then(() => response.end(' rest'))
    return undefined
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  using caller = createHttpCaller({ policy: 'off', timeoutMs: 60_000, maxResponseBytes: 1_000 })
  jest.useFakeTimers({ doNotFake: [...timeoutsOnly] })
  const limits = { method: 'GET' as const, idleTimeoutMs: 200_000, bodyTimeoutMs: 600_000 }
  const reading = text((await caller.open({ ...limits, url })).body)
  jest.advanceTimersByTime(61_000)
  rest.resolve()
  expect(await reading).toBe('first rest')
  const silent = caller.open({ ...limits, url: `${url}silent` })
  silent.catch(() => undefined)
  await requested.promise
  jest.advanceTimersByTime(61_000)
  await expect(silent).rejects.toMatchObject({ outcome: 'response-timeout' })
  server.closeAllConnections()
})
