import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { afterAll, expect, test } from '@jest/globals'
import { selfSigned, type SmtpScript, usualExtensions } from '@posthorn/testkit'
import { senderFixture, serveCredentials } from './fixture.ts'
import { smtpServers } from './smtp-servers.ts'

const fixture = await senderFixture()
const { addAccount, submit, finished, eventsOf } = fixture
const sender = await fixture.startSender()
const server = smtpServers()
afterAll(async () => {
  await sender[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const without = (...words: string[]) => ({
  extensions: usualExtensions.filter((one) => !words.includes(one)),
})
const mime = (text: string) => Buffer.from(`Subject: x\r\nMessage-ID: <m@b.c>\r\n\r\n${text}\r\n`)
const dsn = { id: 'id+1', return: 'headers', notify: ['success', 'delay'] } as const

test('prepareEnvelope: DSN request, is sent to servers with DSN', async () => {
  const [supporting, lacking] = [await server(), await server(without('DSN'))]
  const request = { dsn: { ...dsn, notify: [...dsn.notify], recipient: 'you@example.net' } }
  for (const smtp of [supporting, lacking]) {
    const account = await addAccount(smtp)
    expect(await finished(await submit({ account, ...request }))).toMatchObject({ state: 'sent' })
  }
  expect(supporting.accepted[0]?.parameters.from).toContain('RET=HDRS ENVID=id+2B1')
  expect(supporting.accepted[0]?.parameters.to).toEqual([
    'NOTIFY=SUCCESS,DELAY ORCPT=rfc822;you@example.net',
  ])
  expect(lacking.accepted[0]?.parameters.from).not.toContain('RET')
  expect(lacking.accepted[0]?.parameters.to).toEqual([''])
})

test('prepareEnvelope: non-ASCII recipient, needs a server with SMTPUTF8', async () => {
  const [supporting, lacking] = [await server(), await server(without('SMTPUTF8'))]
  const to = ['jörg@bücher.example']
  const sent = await submit({ account: await addAccount(supporting), to })
  expect(await finished(sent)).toMatchObject({ state: 'sent' })
  expect(supporting.accepted[0]).toMatchObject({
    to: ['jörg@xn--bcher-kva.example'],
    parameters: { from: expect.stringContaining('SMTPUTF8') },
  })
  const account = await addAccount(lacking)
  expect(await finished(await submit({ account, to }))).toMatchObject({
    state: 'failed',
    attempts: 1,
    lastError: { code: 'ESMTPUTF8' },
  })
  expect(await finished(await submit({ account, to: ['you@bücher.example'] }))).toMatchObject({
    state: 'sent',
  })
  expect(lacking.accepted.map(({ to: recipients }) => recipients)).toEqual([
    ['you@xn--bcher-kva.example'],
  ])
  expect((await eventsOf(account)).at(-1)?.data['envelope']).toEqual({
    from: 'me@example.com',
    to: ['you@bücher.example'],
  })
  expect(lacking.connections).toBe(1)
})

test('prepareEnvelope: 8-bit content, declares 8BITMIME and arrives unchanged', async () => {
  const [announced, lacking] = [await server(), await server(without('8BITMIME'))]
  for (const smtp of [announced, lacking]) {
    const account = await addAccount(smtp)
    await finished(await submit({ account, mime: mime('größer') }))
    await finished(await submit({ account, mime: mime('plain') }))
    expect(smtp.accepted.map(({ raw }) => raw)).toEqual([mime('größer'), mime('plain')])
  }
  const declared = (smtp: SmtpScript) =>
    smtp.accepted.map(({ parameters }) => parameters.from.includes('BODY=8BITMIME'))
  expect([declared(announced), declared(lacking)]).toEqual([
    [true, false],
    [false, false],
  ])
})

test('prepareEnvelope: message above SIZE, is not sent', async () => {
  const smtp = await server({ maxBytes: 1_000 })
  const account = await addAccount(smtp)
  const queueId = await submit({ account, mime: mime('x'.repeat(1_000)) })
  expect(await finished(queueId)).toMatchObject({
    state: 'failed',
    attempts: 1,
    lastError: { code: 'EMESSAGE', message: expect.stringContaining('1000') },
  })
  expect(smtp.received.filter((line) => line.startsWith('MAIL'))).toEqual([])
  expect(await finished(await submit({ account }))).toMatchObject({ state: 'sent' })
  expect(smtp.connections).toBe(1)
})

test('SmtpSession: with and without PIPELINING, handles rejected recipients', async () => {
  const behaviour = {
    onRecipient: (address: string) =>
      address.startsWith('no') ? { code: 550, text: '5.1.1 no' } : undefined,
  }
  const [pipelining, lacking] = [
    await server({ behaviour }),
    await server({ behaviour, ...without('PIPELINING') }),
  ]
  for (const smtp of [pipelining, lacking]) {
    const account = await addAccount(smtp)
    const to = ['yes@b.c', 'no@b.c']
    expect(await finished(await submit({ account, to }))).toMatchObject({ state: 'sent' })
    expect(await finished(await submit({ account, to: ['no@b.c'] }))).toMatchObject({
      state: 'failed',
      lastError: { responseCode: 550, command: 'RCPT TO' },
    })
    expect(smtp.accepted.map(({ to: recipients }) => recipients)).toEqual([['yes@b.c']])
  }
})

test.each([
  [
    '250 2.0.0 OK <new@a.prod.outlook.com> [Hostname=a.prod.outlook.com]',
    '<new@a.prod.outlook.com>',
  ],
  ['250 2.6.0 <new@corp.example> [InternalId=1, Hostname=x] Queued mail', '<new@corp.example>'],
])('serverMessageIdOf: reply %s, is stored and reported', async (reply, messageId) => {
  const smtp = await server()
  smtp.on('dot', async ({ defaultReply }) => {
    await defaultReply()
    return [reply]
  })
  const account = await addAccount(smtp)
  const queueId = await submit({ account })
  const original = `<${queueId}@example.com>`
  expect(await finished(queueId)).toMatchObject({ messageId, originalMessageId: original })
  expect((await eventsOf(account)).map(({ data }) => data)).toEqual([
    expect.objectContaining({ messageId, originalMessageId: original }),
  ])
})

test('serverMessageIdOf: unchanged Message-ID, is not reported as original', async () => {
  const smtp = await server()
  smtp.on('dot', async ({ defaultReply, message }) => {
    await defaultReply()
    return [`250 2.6.0 ${message?.messageId} [InternalId=1, Hostname=x] Queued mail`]
  })
  const account = await addAccount(smtp)
  const queueId = await submit({ account })
  expect(await finished(queueId)).toMatchObject({
    messageId: `<${queueId}@example.com>`,
    originalMessageId: null,
  })
  expect((await eventsOf(account))[0]?.data).not.toHaveProperty('originalMessageId')
})

test('SmtpSession.open: rejected access token, requests a new one once', async () => {
  const smtp = await server({
    requireLogin: true,
    behaviour: {
      onLogin: ({ accessToken }) =>
        accessToken === 'new' ? undefined : { code: 535, text: '5.7.8 expired' },
    },
  })
  let renewed = 'new'
  await using bridge = await serveCredentials(fixture.broker.url, (fresh) => ({
    user: 'me',
    accessToken: fresh ? renewed : 'old',
  }))
  const account = await addAccount(smtp, { useAuthServer: true })
  expect(await finished(await submit({ account }))).toMatchObject({ state: 'sent', attempts: 1 })
  expect(bridge.requests).toEqual([`${account} smtp`, `${account} smtp fresh`])
  expect((await eventsOf(account)).map(({ event }) => event)).toEqual(['messageSent'])
  for (const token of ['old', 'just as bad']) {
    renewed = token
    const other = await addAccount(smtp, { useAuthServer: true })
    const queueId = await submit({ account: other, maxAttempts: 1 })
    expect(await finished(queueId)).toMatchObject({
      state: 'failed',
      lastError: { code: 'EAUTH', responseCode: 535 },
    })
  }
})

test('SmtpSession.open: server with OAUTHBEARER only, uses it and handles its rejection', async () => {
  const logins: string[] = []
  const smtp = await server()
  smtp.on('EHLO', async ({ defaultReply }) =>
    (await defaultReply()).map((line) => line.replace(/AUTH .*/, 'AUTH OAUTHBEARER')),
  )
  smtp.on('AUTH', ({ line }) => {
    const [, mechanism = '', encoded = ''] = line.split(' ')
    const response = Buffer.from(encoded, 'base64').toString()
    logins.push(`${mechanism} ${response.replaceAll('\x01', '^A')}`)
    return response.includes('good') ? ['235 2.7.0 ok'] : ['334 eyJzdGF0dXMiOiI0MDEifQ==']
  })
  let accessToken = 'good'
  await using _bridge = await serveCredentials(fixture.broker.url, () => ({
    user: 'me',
    accessToken,
  }))
  const account = await addAccount(smtp, { useAuthServer: true })
  expect(await finished(await submit({ account }))).toMatchObject({ state: 'sent' })
  expect(logins).toEqual([
    `OAUTHBEARER n,a=me,^Ahost=127.0.0.1^Aport=${smtp.port}^Aauth=Bearer good^A^A`,
  ])
  accessToken = 'bad'
  const other = await addAccount(smtp, { useAuthServer: true })
  expect(await finished(await submit({ account: other, maxAttempts: 1 }))).toMatchObject({
    state: 'failed',
    lastError: { code: 'EAUTH', command: 'AUTH OAUTHBEARER' },
  })
  expect(smtp.received).toContain('AQ==')
})

test('SmtpSession.open: self-signed certificate, fails', async () => {
  for (const secure of [false, true]) {
    const account = await addAccount(await server({ secure }), { tls: {}, secure })
    expect(await finished(await submit({ account, maxAttempts: 1 }))).toMatchObject({
      state: 'failed',
      lastError: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'self-signed certificate' },
    })
  }
})

test('SmtpSession.open: TLS version below minVersion, fails', async () => {
  const old = createServer({ ...selfSigned(['localhost']), maxVersion: 'TLSv1.2' })
  old.on('tlsClientError', () => undefined).listen(0, '127.0.0.1')
  await once(old, 'listening')
  try {
    const { port } = old.address() as AddressInfo
    const tls = { rejectUnauthorized: false, minVersion: 'TLSv1.3' }
    const account = await addAccount({ host: '127.0.0.1', port }, { secure: true, tls })
    expect(await finished(await submit({ account, maxAttempts: 1 }))).toMatchObject({
      state: 'failed',
      lastError: {
        code: expect.stringMatching(/^ERR_SSL_/),
        message: expect.stringMatching(/^TLS failed: [\w ]+$/),
      },
    })
  } finally {
    old.close()
  }
})
