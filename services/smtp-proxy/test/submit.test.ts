import { afterAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { hashToken, newToken } from '@posthorn/secrets'
import { eventually, freePort, testDatabase } from '@posthorn/testkit'
import { createTransport } from 'nodemailer'
import { startApp } from '../src/app.ts'
import { queueIdOf, storeOf, testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

const proxy = await testProxy()
afterAll(() => proxy[Symbol.asyncDispose]())
const { db, send, addAccount, addToken, outbox, count, port, token } = proxy

test('submit: accepted message, is in the outbox and a hint is published', async () => {
  const { response, messageId } = await send({
    from: 'me@example.com',
    to: ['a@example.com', 'b@example.com'],
    bcc: 'hidden@example.com',
    subject: 'héllo',
    text: '.leading dot\r\n..two\r\n',
  })
  const [, queueId = '', date = ''] =
    /^250 Message queued for delivery as ([0-9a-f]{19}) \((.*)\)$/.exec(response) ?? []
  expect(new Date(date).toISOString()).toBe(date)
  const { mime, ...row } = await outbox(queueId)
  expect(row).toMatchObject({
    account: 'acc',
    shard: shardOf('acc'),
    source: 'smtp',
    state: 'queued',
    messageId,
    subject: 'héllo',
    maxAttempts: 7,
    dsn: null,
    gateway: null,
    idempotencyKey: null,
    envelope: {
      from: 'me@example.com',
      to: ['a@example.com', 'b@example.com', 'hidden@example.com'],
    },
  })
  const text = mime?.toString() ?? ''
  expect(text).toContain(`Message-ID: ${messageId}\r\n`)
  expect(text).toContain('\r\n\r\n.leading dot\r\n..two\r\n')
  expect(text).not.toMatch(/hidden/)
  await eventually(() => expect(proxy.hints).toContain(queueId))
})

test('prepareMessage: removes Bcc', async () => {
  const raw =
    'From: me@example.com\r\nBcc: hidden@example.com,\r\n more@example.com\r\nSubject: s\r\n\r\nbody\r\n'
  const sent = await send({ envelope: { from: 'me@example.com', to: ['hidden@example.com'] }, raw })
  const { mime, messageId } = await outbox(queueIdOf(sent))
  expect(mime?.toString()).not.toMatch(/hidden|more@/)
  expect(mime?.toString()).toContain(`Message-ID: ${messageId}\r\n`)
})

test('EHLO: lists the extensions; MAIL without login is rejected', async () => {
  const client = await RawClient.open(port)
  expect(await client.reply()).toBe('220 posthorn ESMTP Posthorn MSA')
  client.send('EHLO x\r\n')
  expect(await client.wholeReply()).toMatch(
    /PIPELINING[^]*8BITMIME[^]*SMTPUTF8[^]*ENHANCEDSTATUSCODES[^]*DSN[^]*AUTH PLAIN LOGIN XOAUTH2 OAUTHBEARER[^]*SIZE 200000/,
  )
  expect(await client.command('MAIL FROM:<me@example.com>')).toMatch(/^530 5\.7\.0 /)
  expect(await client.command('AUTH CRAM-MD5')).toMatch(/^504 5\.5\.4 /)
  client.close()
})

test('AUTH: PLAIN and LOGIN with and without initial response, invalid input is rejected', async () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const plain = base64(`\0acc\0${token}`)
  const dialogues = [
    [`AUTH PLAIN ${plain}`],
    ['AUTH PLAIN', plain],
    ['AUTH LOGIN', base64('acc'), base64(token)],
    [`AUTH LOGIN ${base64('acc')}`, base64(token)],
  ]
  for (const dialogue of dialogues) {
    const client = await RawClient.greeted(port)
    let last = ''
    for (const line of dialogue) last = await client.command(line)
    expect(last).toMatch(/^235 2\.7\.0 /)
    expect(await client.command('AUTH PLAIN')).toMatch(/^503 /)
    client.close()
  }
  const client = await RawClient.greeted(port)
  expect(await client.command('AUTH PLAIN')).toMatch(/^334 /)
  expect(await client.command('*')).toMatch(/^501 /)
  expect(await client.command(`AUTH PLAIN ${'%'.repeat(4_000)}`)).toMatch(/^501 /)
  expect(await client.command(`AUTH PLAIN ${base64(`other\0acc\0${token}`)}`)).toMatch(/^535 /)
  expect(await client.command(`AUTH PLAIN ${plain}`)).toMatch(/^235 /)
  client.close()
})

// With the delays of failed logins, these SMTP login attempts would take longer than the timeout.
test('AUTH: address outside the token restriction, is refused without a delay', async () => {
  const elsewhere = await addToken({ account: 'acc', restrictions: { addresses: ['192.0.2.1'] } })
  for (let n = 0; n < 12; n++)
    await expect(send({}, { user: 'acc', pass: elsewhere })).rejects.toMatchObject({
      response: '535 5.7.8 Access denied, traffic not accepted from this IP',
    })
  expect((await send({}, {})).response).toMatch(/^250 /)
}, 60_000)

test('AUTH: rejected logins, same text for every reason', async () => {
  await addAccount('other-account')
  const cases: [string, string][] = [
    ['acc', newToken()],
    ['missing', await addToken({})],
    ['acc', await addToken({ account: 'other-account' })],
    ['acc', await addToken({ scopes: ['imap-proxy', 'api'] })],
    ['acc', await addToken({ permissions: { actions: ['read'] } })],
    ['acc', await addToken({ permissions: { groups: ['message'] } })],
  ]
  // Each SMTP login attempt comes from its own address: repeated failures of an address are
  // delayed.
  for (const [n, [user, pass]] of cases.entries())
    await expect(
      send({}, { user, pass, options: { localAddress: `127.0.1.${n + 1}` } }),
    ).rejects.toMatchObject({
      responseCode: 535,
      response: '535 5.7.8 Authentication credentials invalid',
    })
  const allowed = await addToken({
    account: 'acc',
    permissions: { actions: ['send'], groups: ['submit'] },
    restrictions: { addresses: ['127.0.0.0/8'] },
  })
  expect((await send({}, { pass: allowed })).response).toMatch(/^250 /)
  const used = db
    .selectFrom('tokens')
    .select(['lastUsedAt', 'lastUsedIp'])
    .where('id', '=', hashToken(allowed))
  await eventually(async () =>
    expect(await used.executeTakeFirstOrThrow()).toMatchObject({
      lastUsedAt: expect.any(Date),
      lastUsedIp: '127.0.0.1',
    }),
  )
})

test('AUTH: token of another account in every form, stores nothing of that account', async () => {
  await addAccount('tenant')
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const dialogues = (token: string) => [
    [`AUTH PLAIN ${base64(`\0tenant\0${token}`)}`],
    [`AUTH PLAIN ${base64(`tenant\0tenant\0${token}`)}`],
    ['AUTH LOGIN', base64('tenant'), base64(token)],
    [`AUTH LOGIN ${base64('tenant')}`, base64(token)],
    [`AUTH PLAIN ${base64(`tenant\0acc\0${token}`)}`],
    [`AUTH PLAIN ${base64(`acc\0tenant\0${token}`)}`],
  ]
  const last = async (dialogue: string[], from: string) => {
    const client = await RawClient.greeted(port, from)
    let reply = ''
    for (const line of dialogue) reply = await client.command(line)
    client.close()
    return reply
  }
  for (const [n, dialogue] of dialogues(token).entries())
    expect(await last(dialogue, `127.0.5.${n + 1}`)).toMatch(/^535 5\.7\.8 /)
  const rightful = dialogues(await addToken({ account: 'tenant' })).slice(0, 4)
  for (const [n, dialogue] of rightful.entries())
    expect(await last(dialogue, `127.0.6.${n + 1}`)).toMatch(/^235 /)
  const before = await count()
  await expect(send({ headers: { 'X-SVC-Account': 'tenant' } })).rejects.toMatchObject({
    response: '550 5.7.1 The header X-SVC-Account names another account than the login',
  })
  expect(await count()).toBe(before)
})

test('submit: account that cannot send, 550; not connected yet, 451', async () => {
  await addAccount('no-smtp', { smtp: null })
  await addAccount('syncing', { imap: JSON.stringify({ host: 'h', port: 993 }) })
  await addAccount('at-gmail', { backend: 'gmail' })
  const pass = await addToken({})
  await expect(send({}, { user: 'no-smtp', pass })).rejects.toMatchObject({ responseCode: 550 })
  await expect(send({}, { user: 'at-gmail', pass })).rejects.toMatchObject({ responseCode: 451 })
  await expect(send({}, { user: 'syncing', pass })).rejects.toMatchObject({ responseCode: 451 })
  await db
    .insertInto('accountStates')
    .values({ account: 'syncing', state: 'connected', initializedAt: new Date() })
    .execute()
  expect((await send({}, { user: 'syncing', pass })).response).toMatch(/^250 /)
})

test('submit: account at a mail API, needs an envelope that the header expresses', async () => {
  await addAccount('api-sender', { backend: 'gmail', smtp: null })
  const initializedAt = new Date()
  await db
    .insertInto('accountStates')
    .values({ account: 'api-sender', state: 'connected', initializedAt })
    .execute()
  const user = { user: 'api-sender', pass: await addToken({ account: 'api-sender' }) }
  const message = { from: 'me@mail.example', to: ['a@x.example', 'b@x.example'] }
  const before = await count()
  for (const envelope of [
    { from: 'me@mail.example', to: ['a@x.example'] },
    { from: 'other@mail.example', to: message.to },
  ])
    await expect(send({ ...message, envelope }, user)).rejects.toMatchObject({
      response: expect.stringMatching(/^554 5\.6\.0 The account cannot /),
    })
  expect(await count()).toBe(before)
  const envelope = { from: 'me@mail.example', to: [...message.to, 'hidden@x.example'] }
  expect((await send({ ...message, envelope }, user)).response).toMatch(/^250 /)
})

test('submit: OAuth2 application of the account cannot be used, 451 4.3.5', async () => {
  await addAccount('of-app', { imap: JSON.stringify({ host: 'h', port: 993 }) })
  const lastError = { response: 'not found', serverResponseCode: 'AppNotFound' }
  await db
    .insertInto('accountStates')
    .values({ account: 'of-app', state: 'connectError', lastError: JSON.stringify(lastError) })
    .execute()
  await expect(send({}, { user: 'of-app', pass: await addToken({}) })).rejects.toMatchObject({
    response: '451 4.3.5 The OAuth2 application of the account cannot be used',
  })
})

test('checkSession: token revoked, expired or restricted during a session, rejects MAIL', async () => {
  const ends = [
    (id: string) => db.deleteFrom('tokens').where('id', '=', id).execute(),
    (id: string) =>
      db
        .updateTable('tokens')
        .set({ expiresAt: new Date(0) })
        .where('id', '=', id)
        .execute(),
    (id: string) =>
      db
        .updateTable('tokens')
        .set({ restrictions: JSON.stringify({ addresses: ['192.0.2.1'] }) })
        .where('id', '=', id)
        .execute(),
  ]
  for (const end of ends) {
    const pass = await addToken({ account: 'acc' })
    const pooled = createTransport({
      host: '127.0.0.1',
      port,
      pool: true,
      maxConnections: 1,
      auth: { user: 'acc', pass },
      ignoreTLS: true,
    })
    const mail = { from: 'me@example.com', to: 'a@example.com', text: 'x' }
    expect((await pooled.sendMail(mail)).response).toMatch(/^250 /)
    await end(hashToken(pass))
    // smtp-proxy replies 421 if the periodic revalidation of sessions came first.
    await expect(pooled.sendMail(mail)).rejects.toMatchObject({
      response: expect.stringMatching(/^(535|421) /),
    })
    pooled.close()
  }
})

test('countMessage: above the rate limit of the token, 450', async () => {
  const pass = await addToken({
    account: 'acc',
    restrictions: { rateLimit: { maxRequests: 2, timeWindow: 31_536_000 } },
  })
  await send({}, { pass })
  await send({}, { pass })
  await expect(send({}, { pass })).rejects.toMatchObject({
    response: expect.stringMatching(/^450 4\.7\.1 Rate limit exceeded, try again in \d+ seconds$/),
  })
})

test('tokenAuditLog: records logins and messages of a token', async () => {
  const log = (value: string) =>
    db.selectFrom('tokenLog').selectAll().where('token', '=', hashToken(value)).orderBy('id')
  await proxy.set({ tokenAuditLog: true })
  // The setting `tokenAuditLog` is active once an entry was recorded.
  await eventually(async () => {
    await send({})
    expect(await log(token).execute()).not.toEqual([])
  })
  const restrictions = { rateLimit: { maxRequests: 1, timeWindow: 31_536_000 } }
  const pass = await addToken({ account: 'acc', restrictions })
  const reading = await addToken({ account: 'acc', scopes: ['api'] })
  await send({}, { pass })
  await expect(send({}, { pass })).rejects.toMatchObject({ responseCode: 450 })
  await expect(send({}, { pass: reading })).rejects.toMatchObject({ responseCode: 535 })
  const use = { method: 'smtp', ip: '127.0.0.1', account: 'acc' }
  const entry = { ...use, action: 'send', actionGroup: 'submit' }
  const login = { ...entry, path: 'AUTH' }
  await eventually(async () =>
    expect(await log(pass).execute()).toMatchObject([
      { ...login, denied: null },
      { ...entry, path: 'MAIL', denied: null },
      { ...login, denied: null },
      { ...entry, path: 'MAIL', denied: 'Rate limit exceeded' },
    ]),
  )
  await eventually(async () =>
    expect(await log(reading).execute()).toMatchObject([
      { ...login, denied: 'Unauthorized scope' },
    ]),
  )
})

test('maxMessageBytes: too large, announced by SIZE or not, rejected and nothing is stored', async () => {
  const before = await count()
  await expect(send({ text: 'x\r\n'.repeat(80_000) })).rejects.toMatchObject({ responseCode: 552 })
  const client = await RawClient.greeted(port)
  await client.command(`AUTH PLAIN ${Buffer.from(`\0acc\0${token}`).toString('base64')}`)
  expect(await client.command('MAIL FROM:<me@example.com> SIZE=200001')).toMatch(/^552 5\.3\.4 /)
  client.close()
  expect(await count()).toBe(before)
})

test('maxBufferedBytes: used up by messages in transfer, 452', async () => {
  const login = `AUTH PLAIN ${Buffer.from(`\0acc\0${token}`).toString('base64')}`
  const clients = await Promise.all([1, 2, 3].map(() => RawClient.greeted(port)))
  const half = Buffer.alloc(199_000, 'x\r\n')
  for (const client of clients.slice(0, 2)) {
    await client.command(login)
    await client.command('MAIL FROM:<me@example.com>')
    await client.command('RCPT TO:<a@example.com>')
    await client.command('DATA')
    client.send(half)
  }
  const [, , last = await RawClient.greeted(port)] = clients
  await last.command(login)
  await eventually(async () => {
    // smtp-proxy accepts MAIL until the bytes of the messages in transfer have arrived. Without
    // RSET, a second MAIL would get 503.
    await last.command('RSET')
    expect(await last.command('MAIL FROM:<me@example.com> SIZE=199000')).toMatch(/^452 4\.3\.1 /)
  })
  for (const client of clients) client.close()
  await eventually(async () => expect((await send({})).response).toMatch(/^250 /))
})

test('submit: Postgres unavailable, temporary rejection', async () => {
  const other = await testDatabase()
  const store = storeOf(other.db)
  const otherPort = await freePort()
  const config = { ...proxy.config, databaseUrl: other.roleUrl('posthorn_smtp_proxy') }
  const dying = await startApp(config, new AbortController().signal)
  await store.addAccount('acc')
  const pass = await store.addToken({ account: 'acc' })
  await store.putSettings({ smtpServerEnabled: true, smtpServerPort: otherPort })
  const via = { pass, port: otherPort }
  await eventually(async () => expect((await send({}, via)).response).toMatch(/^250 /))
  await other.drop()
  await expect(send({}, via)).rejects.toMatchObject({ response: expect.stringMatching(/^4\d\d /) })
  await dying[Symbol.asyncDispose]()
})
