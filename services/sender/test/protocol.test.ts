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

test('notifications are asked for where the server knows them', async () => {
  const [knows, not] = [await server(), await server(without('DSN'))]
  const asked = { dsn: { ...dsn, notify: [...dsn.notify], recipient: 'you@example.net' } }
  for (const smtp of [knows, not]) {
    const account = await addAccount(smtp)
    expect(await finished(await submit({ account, ...asked }))).toMatchObject({ state: 'sent' })
  }
  expect(knows.accepted[0]?.parameters.from).toContain('RET=HDRS ENVID=id+2B1')
  expect(knows.accepted[0]?.parameters.to).toEqual([
    'NOTIFY=SUCCESS,DELAY ORCPT=rfc822;you@example.net',
  ])
  expect(not.accepted[0]?.parameters.from).not.toContain('RET')
  expect(not.accepted[0]?.parameters.to).toEqual([''])
})

test('an address that is not ASCII goes to a server that takes it, and to no other', async () => {
  const [takes, not] = [await server(), await server(without('SMTPUTF8'))]
  const to = ['jörg@bücher.example']
  const sent = await submit({ account: await addAccount(takes), to })
  expect(await finished(sent)).toMatchObject({ state: 'sent' })
  expect(takes.accepted[0]).toMatchObject({
    to: ['jörg@xn--bcher-kva.example'],
    parameters: { from: expect.stringContaining('SMTPUTF8') },
  })
  const account = await addAccount(not)
  expect(await finished(await submit({ account, to }))).toMatchObject({
    state: 'failed',
    attempts: 1,
    lastError: { code: 'ESMTPUTF8' },
  })
  expect(await finished(await submit({ account, to: ['you@bücher.example'] }))).toMatchObject({
    state: 'sent',
  })
  expect(not.accepted.map(({ to: said }) => said)).toEqual([['you@xn--bcher-kva.example']])
  expect((await eventsOf(account)).at(-1)?.data['envelope']).toEqual({
    from: 'me@example.com',
    to: ['you@bücher.example'],
  })
  expect(not.connections).toBe(1)
})

test('eight-bit bytes are announced where that is offered, and arrive as they are', async () => {
  const [announced, not] = [await server(), await server(without('8BITMIME'))]
  for (const smtp of [announced, not]) {
    const account = await addAccount(smtp)
    await finished(await submit({ account, mime: mime('größer') }))
    await finished(await submit({ account, mime: mime('plain') }))
    expect(smtp.accepted.map(({ raw }) => raw)).toEqual([mime('größer'), mime('plain')])
  }
  const saysSo = (smtp: SmtpScript) =>
    smtp.accepted.map(({ parameters }) => parameters.from.includes('BODY=8BITMIME'))
  expect([saysSo(announced), saysSo(not)]).toEqual([
    [true, false],
    [false, false],
  ])
})

test('what is too large for a server is not handed to it', async () => {
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

test('envelopes are pipelined where the server lets one, and with refused recipients as well', async () => {
  const behaviour = {
    onRecipient: (address: string) =>
      address.startsWith('no') ? { code: 550, text: '5.1.1 no' } : undefined,
  }
  const [lets, not] = [
    await server({ behaviour }),
    await server({ behaviour, ...without('PIPELINING') }),
  ]
  for (const smtp of [lets, not]) {
    const account = await addAccount(smtp)
    const to = ['yes@b.c', 'no@b.c']
    expect(await finished(await submit({ account, to }))).toMatchObject({ state: 'sent' })
    expect(await finished(await submit({ account, to: ['no@b.c'] }))).toMatchObject({
      state: 'failed',
      lastError: { responseCode: 550, command: 'RCPT TO' },
    })
    expect(smtp.accepted.map(({ to: took }) => took)).toEqual([['yes@b.c']])
  }
})

test.each([
  [
    '250 2.0.0 OK <new@a.prod.outlook.com> [Hostname=a.prod.outlook.com]',
    '<new@a.prod.outlook.com>',
  ],
  ['250 2.6.0 <new@corp.example> [InternalId=1, Hostname=x] Queued mail', '<new@corp.example>'],
])('a Message-ID that the server changes: %s', async (reply, messageId) => {
  const smtp = await server()
  smtp.on('dot', async ({ defaultReply: usual }) => {
    await usual()
    return [reply]
  })
  const account = await addAccount(smtp)
  const queueId = await submit({ account })
  const ours = `<${queueId}@example.com>`
  expect(await finished(queueId)).toMatchObject({ messageId, originalMessageId: ours })
  expect((await eventsOf(account)).map(({ data }) => data)).toEqual([
    expect.objectContaining({ messageId, originalMessageId: ours }),
  ])
})

test('a Message-ID that the server repeats is no other', async () => {
  const smtp = await server()
  smtp.on('dot', async ({ defaultReply: usual, message }) => {
    await usual()
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

test('a refused access token is asked for anew, once, before that counts', async () => {
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
  expect(bridge.asked).toEqual([`${account} smtp`, `${account} smtp fresh`])
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

test('OAUTHBEARER where the server offers nothing else, and its refusal', async () => {
  const heard: string[] = []
  const smtp = await server()
  smtp.on('EHLO', async ({ defaultReply: usual }) =>
    (await usual()).map((line) => line.replace(/AUTH .*/, 'AUTH OAUTHBEARER')),
  )
  smtp.on('AUTH', ({ line }) => {
    const [, mechanism = '', words = ''] = line.split(' ')
    const said = Buffer.from(words, 'base64').toString()
    heard.push(`${mechanism} ${said.replaceAll('\x01', '^A')}`)
    return said.includes('good') ? ['235 2.7.0 ok'] : ['334 eyJzdGF0dXMiOiI0MDEifQ==']
  })
  let accessToken = 'good'
  await using _bridge = await serveCredentials(fixture.broker.url, () => ({
    user: 'me',
    accessToken,
  }))
  const account = await addAccount(smtp, { useAuthServer: true })
  expect(await finished(await submit({ account }))).toMatchObject({ state: 'sent' })
  expect(heard).toEqual([
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

test('a certificate that nobody vouches for', async () => {
  for (const secure of [false, true]) {
    const account = await addAccount(await server({ secure }), { tls: {}, secure })
    expect(await finished(await submit({ account, maxAttempts: 1 }))).toMatchObject({
      state: 'failed',
      lastError: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'self-signed certificate' },
    })
  }
})

test('a version of TLS that the account finds too old', async () => {
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
