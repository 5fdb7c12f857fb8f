import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, expect, test } from '@jest/globals'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, RawClient, selfSigned } from '@posthorn/testkit'
import { serve } from '../src/index.ts'

const folder = await mkdtemp(join(tmpdir(), 'tls-'))
const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
const first = selfSigned(['localhost'])
const second = selfSigned(['localhost'])
const write = ({ cert, key }: { cert: string; key: string }) =>
  Promise.all([writeFile(files.cert, cert), writeFile(files.key, key)])
await write(first)

let reads = 0
const server = await serve({
  host: '127.0.0.1',
  port: 0,
  log: createLogger('test', 'silent'),
  metrics: createMetrics('test'),
  checks: {},
  maxConnections: 10,
  timeouts: { handshakeMs: 5_000 },
  tls: {
    everyMs: 50,
    async readCertificate() {
      reads += 1
      const [cert, key] = await Promise.all([
        readFile(files.cert, 'utf8'),
        readFile(files.key, 'utf8'),
      ])
      return { cert, key }
    },
  },
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** Sends an HTTPS request on its own connection, with `ca` as the only trusted certificate. */
async function ask(ca: string) {
  const requested = request({
    port: server.port,
    host: '127.0.0.1',
    servername: 'localhost',
    path: '/health/live',
    agent: false,
    ca,
  })
  requested.end()
  const [response] = (await once(requested, 'response')) as [IncomingMessage]
  const protocol = (response.socket as TLSSocket).getProtocol()
  response.resume()
  return { status: response.statusCode, headers: response.headers, protocol }
}

test('serve: over TLS, responses have Strict-Transport-Security', async () => {
  const { status, headers, protocol } = await ask(first.cert)
  expect([status, protocol]).toEqual([200, 'TLSv1.3'])
  expect(headers['strict-transport-security']).toBe('max-age=31536000')
})

test('reloadCertificate: uses a renewed certificate, ignores an empty one and another key', async () => {
  for (const unusable of ['', second.cert]) {
    await writeFile(files.cert, unusable)
    const before = reads
    await eventually(() => expect(reads).toBeGreaterThan(before + 1))
    expect((await ask(first.cert)).status).toBe(200)
  }
  await writeFile(files.key, second.key)
  await eventually(async () => expect((await ask(second.cert)).status).toBe(200))
  await expect(ask(first.cert)).rejects.toThrow(/certificate/)
})

test('serve: clients without a TLS handshake are disconnected and do not block others', async () => {
  const clear = await RawClient.open(server.port)
  clear.send('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(await clear.untilClosed()).not.toContain('HTTP/1.1 200')
  const silent = await Promise.all(Array.from({ length: 30 }, () => RawClient.open(server.port)))
  expect((await ask(second.cert)).status).toBe(200)
  await Promise.all(silent.map((client) => client.untilClosed()))
})
