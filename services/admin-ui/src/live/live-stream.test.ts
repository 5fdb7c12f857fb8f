import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { SignedIn } from '../identity/signed-in.ts'
import { LiveStream } from './live-stream.ts'

test('LiveStream: a tab that does not read is disconnected instead of filling the memory', async () => {
  const server = createServer()
  using stack = new DisposableStack()
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // The HTTP client has a listener for the response, but does not read the body (the live stream).
  request({ host: '127.0.0.1', port, agent: false })
    .on('error', () => undefined)
    .on('response', () => undefined)
    .end()
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  const stream = new LiveStream(response, { signedIn: {} as SignedIn, topics: new Set() })
  stream.open()
  const frame = `event: figures\ndata: ${'x'.repeat(64 * 1024)}\n\n`
  for (let sent = 0; sent < 2_000 && !stream.signal.aborted; sent += 1) {
    stream.send(frame)
    await setImmediate()
  }
  expect(stream.signal.aborted).toBe(true)
  expect(stream.cause).toBe('slow')
  expect(response.destroyed).toBe(true)
})
