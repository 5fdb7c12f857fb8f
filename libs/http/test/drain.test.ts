import { once } from 'node:events'
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from '@jest/globals'
import { release as product } from '@posthorn/config/release'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually } from '@posthorn/testkit'
import { serve } from '../src/index.ts'

/**
 * HTTP server whose route `/slow` responds after `release`, and whose route `/stream` ends after
 * `release`.
 */
async function startServer(options: { closeTimeoutMs?: number } = {}) {
  const stopping = new AbortController()
  const release = Promise.withResolvers<void>()
  const server = await serve({
    host: '127.0.0.1',
    port: 0,
    log: createLogger('test', 'silent'),
    metrics: createMetrics('test'),
    checks: {},
    stopping: stopping.signal,
    ...options,
    mount(app) {
      app.get('/slow', async (_request, response) => {
        await release.promise
        response.json({ done: true })
      })
      app.get('/stream', async (_request, response) => {
        response.write('first ')
        await release.promise
        response.end('last')
      })
    },
  })
  return { server, stop: () => stopping.abort(), release: () => release.resolve() }
}

/** HTTP client with one keep-alive connection. */
function keptConnection(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    async get(path: string): Promise<IncomingMessage> {
      const request = httpRequest({ host: '127.0.0.1', port, path, agent }).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return response
    },
    close: () => agent.destroy(),
  }
}

const read = async (response: IncomingMessage) => (await response.toArray()).join('')

test('serve: while stopping, not ready, new connections are served and told to close', async () => {
  const { server, stop } = await startServer()
  stop()
  const first = await fetch(`http://127.0.0.1:${server.port}/health/ready`)
  expect([first.status, await first.json()]).toEqual([
    503,
    { success: false, failed: ['stopping'], ...product },
  ])
  const later = await fetch(`http://127.0.0.1:${server.port}/health/live`)
  expect([later.status, later.headers.get('connection')]).toEqual([200, 'close'])
  await server[Symbol.asyncDispose]()
})

test('serve: a kept connection ends after a response, also of a request from before', async () => {
  const { server, stop, release } = await startServer()
  const client = keptConnection(server.port)
  const before = await client.get('/health/live')
  expect([before.headers.connection, await read(before)]).toEqual([
    'keep-alive',
    JSON.stringify({ success: true, ...product }),
  ])
  const slow = client.get('/slow')
  await eventually(() => expect(server.unfinished()).toBe(1))
  stop()
  release()
  const response = await slow
  expect([response.headers.connection, await read(response)]).toEqual(['close', '{"done":true}'])
  client.close()
  await server[Symbol.asyncDispose]()
})

test('serve: disposal completes a response whose head was sent, then closes the connection', async () => {
  const { server, release } = await startServer()
  const client = keptConnection(server.port)
  const response = await client.get('/stream')
  const closed = server[Symbol.asyncDispose]()
  release()
  expect(await read(response)).toBe('first last')
  await closed
  expect(server.unfinished()).toBe(0)
  client.close()
})

test('serve: requests that exceed closeTimeoutMs are dropped and counted', async () => {
  const { server } = await startServer({ closeTimeoutMs: 100 })
  const socket = connect(server.port, '127.0.0.1', () =>
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'),
  )
  socket.on('error', () => undefined)
  await eventually(() => expect(server.unfinished()).toBe(1))
  await Promise.all([once(socket, 'close'), server[Symbol.asyncDispose]()])
  expect(server.unfinished()).toBe(1)
})
