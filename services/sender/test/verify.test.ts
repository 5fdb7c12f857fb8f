import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { connectBus } from '@posthorn/bus'
import { verifySmtp } from '@posthorn/contracts/commands/verify'
import type { CommandRequest } from '@posthorn/contracts/define'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import {
  eventually,
  type SmtpScript,
  type SmtpScriptOptions,
  startProxy,
  startSmtpScript,
} from '@posthorn/testkit'
import { senderFixture } from './fixture.ts'

const fixture = await senderFixture()
const sender = await fixture.startSender()
const bus = await connectBus({
  url: fixture.broker.url,
  name: 'test',
  log: createLogger('test', 'silent'),
  metrics: createMetrics('test'),
})
const servers: SmtpScript[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await sender[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

async function server(options?: SmtpScriptOptions) {
  const started = await startSmtpScript(options)
  servers.push(started)
  return { host: started.host, port: started.port, tls: { rejectUnauthorized: false } }
}

type Request = CommandRequest<typeof verifySmtp>
const verify = async (request: Request, timeoutMs = 30_000) =>
  (await eventually(() => bus.request(verifySmtp, request, { key: 'verify.smtp', timeoutMs })))
    .verdict
const credentials = { user: 'me', pass: 'secret' }

test('verifySmtp: valid login, succeeds and sends nothing', async () => {
  const smtp = await server({ requireLogin: true })
  expect(await verify({ server: smtp, credentials })).toEqual({ success: true })
  expect(await verify({ server: smtp })).toEqual({ success: true })
  expect(servers[0]?.accepted).toEqual([])
})

test('verifySmtp: rejected credentials, returns the reply of the server', async () => {
  const onLogin = () => ({ code: 535, text: '5.7.8 Authentication failed' })
  const smtp = await server({ requireLogin: true, behaviour: { onLogin } })
  const verdict = await verify({ server: smtp, credentials })
  expect(verdict).toMatchObject({
    success: false,
    code: 'EAUTH',
    statusCode: 535,
    responseText: expect.stringContaining('5.7.8'),
  })
  expect(JSON.stringify(verdict)).not.toContain('secret')
})

test('verifySmtp: unreachable or blocked server, returns the error code', async () => {
  expect(await verify({ server: { host: '127.0.0.1', port: 1 } })).toMatchObject({
    success: false,
    code: 'ECONNREFUSED',
  })
  expect(await verify({ server: { host: '169.254.169.254', port: 25 } })).toMatchObject({
    success: false,
    code: 'EEGRESSBLOCKED',
  })
})

test('verifySmtp: ports of other services and of this deployment, are refused without a connection', async () => {
  const [database, broker] = [fixture.env().DATABASE_URL, fixture.broker.url].map((address) =>
    Number(new URL(address).port),
  )
  const refused = { success: false, code: 'EEGRESSBLOCKED' }
  for (const port of [22, 6379, database ?? 5432, broker ?? 5672])
    expect(await verify({ server: { host: '127.0.0.1', port } })).toMatchObject(refused)
  const smtp = await server()
  const proxy = `http://127.0.0.1:${broker ?? 5672}`
  expect(await verify({ server: smtp, proxy })).toMatchObject({ success: false, code: 'EPROXY' })
})

test('verifySmtp: error before SMTP, contains neither an IP address nor a banner', async () => {
  const closed = await verify({ server: { host: '127.0.0.1', port: 1 } })
  expect(closed.error).toBe('The mail server cannot be reached: ECONNREFUSED')
  const blocked = await verify({ server: { host: '169.254.169.254', port: 25 } })
  expect(blocked.error).not.toContain('169.254')
  for (const banner of ['SSH-2.0-OpenSSH_9.6', '5.5.5-10.11 MariaDB', '-ERR unknown command']) {
    const other = createServer((socket) => socket.on('error', () => {}).end(`${banner}\r\n`))
    other.listen(0, '127.0.0.1')
    try {
      await once(other, 'listening')
      const { port } = other.address() as { port: number }
      expect(await verify({ server: { host: '127.0.0.1', port } })).toEqual({
        success: false,
        error: 'The server does not respond with SMTP',
        code: 'EPROTOCOL',
      })
    } finally {
      other.close()
    }
  }
})

test('verifySmtp: request with a proxy, connects through it', async () => {
  await using proxy = await startProxy()
  const smtp = await server({ requireLogin: true })
  const request = { server: smtp, credentials, proxy: `socks5://${proxy.host}:${proxy.port}` }
  expect(await verify(request)).toEqual({ success: true })
  expect(proxy.requests).toEqual([expect.objectContaining({ kind: 'socks5', port: smtp.port })])
  proxy.rejects = true
  expect(await verify(request)).toMatchObject({ success: false, code: 'EPROXY' })
})

test('verifySmtp: egress policy private, blocks loopback', async () => {
  const other = await senderFixture()
  const strict = await other.startSender({ SVC_MAIL_EGRESS_POLICY: 'private' })
  const requester = await connectBus({
    url: other.broker.url,
    name: 'test',
    log: createLogger('test', 'silent'),
    metrics: createMetrics('test'),
  })
  try {
    const options = { key: 'verify.smtp', timeoutMs: 30_000 }
    const { verdict } = await eventually(async () =>
      requester.request(verifySmtp, { server: await server() }, options),
    )
    expect(verdict).toMatchObject({ success: false, code: 'EEGRESSBLOCKED' })
  } finally {
    await requester[Symbol.asyncDispose]()
    await strict[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
  }
})

test('verifySmtp: silent server, fails before the deadline of the request', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  try {
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    expect(await verify({ server: { host: '127.0.0.1', port } }, 1_000)).toMatchObject({
      success: false,
      code: 'ETIMEDOUT',
    })
  } finally {
    silent.close()
  }
})
