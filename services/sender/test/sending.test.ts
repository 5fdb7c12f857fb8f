import { afterAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { eventually, rejectTimes } from '@posthorn/testkit'
import { senderFixture, sentEventId, serveCredentials } from './fixture.ts'
import { smtpServers } from './smtp-servers.ts'

const fixture = await senderFixture()
const { db, startSender, addAccount, submit, row, finished, eventsOf } = fixture
const sender = await startSender()
const server = smtpServers()
afterAll(async () => {
  await sender[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

test('sender: due submission, sends the same bytes once and emits messageSent', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const mime = Buffer.from('From: me@example.com\r\nSubject: Test\r\n\r\nHello\r\n..\r\n')
  const queueId = await submit({ account, mime })
  const after = await finished(queueId)
  expect(after).toMatchObject({
    state: 'sent',
    attempts: 1,
    mime: null,
    worker: null,
    leaseUntil: null,
    response: expect.stringContaining('250'),
  })
  expect(smtp.accepted.map(({ from, to, raw }) => ({ from, to, raw: raw.toString() }))).toEqual([
    { from: 'me@example.com', to: ['you@example.net'], raw: mime.toString() },
  ])
  expect(await eventsOf(account)).toEqual([
    {
      event: 'messageSent',
      eventId: sentEventId(queueId),
      data: {
        messageId: `<${queueId}@example.com>`,
        response: after.response,
        queueId,
        envelope: { from: 'me@example.com', to: ['you@example.net'] },
      },
    },
  ])
})

test('sender: recorded events, are published after the commit', async () => {
  const account = await addAccount(await server())
  // While RabbitMQ is unavailable, events wait for the sweep of webhook-dispatcher.
  await eventually(async () => {
    await finished(await submit({ account }))
    const { published } = await db
      .selectFrom('events')
      .select(({ fn }) => fn.count<string>('publishedAt').as('published'))
      .where('account', '=', account)
      .executeTakeFirstOrThrow()
    expect(Number(published)).toBeGreaterThan(0)
  })
})

test('sender: temporary rejections, retries and reports each next attempt', async () => {
  const smtp = await server({
    behaviour: { onRecipient: rejectTimes(2, { code: 451, text: '4.7.1 greylisted' }) },
  })
  const account = await addAccount(smtp)
  const queueId = await submit({ account })
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 3 })
  const events = await eventsOf(account)
  expect(events.map(({ event }) => event)).toEqual([
    'messageDeliveryError',
    'messageDeliveryError',
    'messageSent',
  ])
  for (const [index, { data }] of events.slice(0, 2).entries())
    expect(data).toEqual({
      queueId,
      envelope: { from: 'me@example.com', to: ['you@example.net'] },
      messageId: `<${queueId}@example.com>`,
      error: expect.stringContaining('451 4.7.1 greylisted'),
      errorCode: 'EENVELOPE',
      smtpResponse: '451 4.7.1 greylisted',
      smtpResponseCode: 451,
      smtpCommand: 'RCPT TO',
      job: {
        id: queueId,
        attemptsMade: index + 1,
        attempts: 10,
        nextAttempt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    })
  expect(smtp.accepted).toHaveLength(1)
})

test('sender: permanent rejection, fails immediately', async () => {
  const smtp = await server({
    behaviour: { onRecipient: () => ({ code: 550, text: '5.1.1 no such user' }) },
  })
  const account = await addAccount(smtp)
  const queueId = await submit({ account })
  expect(await finished(queueId)).toMatchObject({
    state: 'failed',
    attempts: 1,
    mime: null,
    firstError: expect.stringContaining('550 5.1.1'),
    lastError: { responseCode: 550 },
  })
  expect((await eventsOf(account)).map(({ event, data }) => [event, data])).toEqual([
    [
      'messageDeliveryError',
      expect.objectContaining({
        smtpResponseCode: 550,
        job: { id: queueId, attemptsMade: 1, attempts: 10, nextAttempt: false },
      }),
    ],
    [
      'messageFailed',
      {
        messageId: `<${queueId}@example.com>`,
        queueId,
        error: expect.stringContaining('550 5.1.1 no such user'),
      },
    ],
  ])
})

test('sender: last attempt failed, messageFailed reports the first error', async () => {
  let count = 0
  const smtp = await server({
    behaviour: { onData: () => ({ code: 451, text: `4.3.0 try ${++count}` }) },
  })
  const account = await addAccount(smtp)
  const queueId = await submit({ account, maxAttempts: 3 })
  expect(await finished(queueId)).toMatchObject({ state: 'failed', attempts: 3 })
  const events = await eventsOf(account)
  expect(events.map(({ event }) => event)).toEqual([
    'messageDeliveryError',
    'messageDeliveryError',
    'messageDeliveryError',
    'messageFailed',
  ])
  expect(events.at(-1)?.data['error']).toContain('4.3.0 try 1')
  expect(smtp.accepted).toEqual([])
})

test('sender: connection lost after the end of data, sends the same bytes again', async () => {
  let first = true
  const smtp = await server({
    behaviour: {
      onData: () => {
        const answer = first ? 'drop' : undefined
        first = false
        return answer
      },
    },
  })
  const account = await addAccount(smtp)
  const queueId = await submit({ account })
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 2 })
  expect(smtp.accepted).toHaveLength(2)
  expect(smtp.accepted[0]?.raw).toEqual(smtp.accepted[1]?.raw)
  expect((await eventsOf(account)).map(({ event, data }) => [event, data['smtpCommand']])).toEqual([
    ['messageDeliveryError', 'DATA'],
    ['messageSent', undefined],
  ])
})

test('sender: mixed rejections, retries the temporary ones alone', async () => {
  const slow = rejectTimes(1, { code: 452, text: '4.2.2 mailbox full' })
  const smtp = await server({
    behaviour: {
      onRecipient: (address) =>
        address === 'slow@example.net'
          ? slow()
          : address === 'gone@example.net'
            ? { code: 550, text: '5.1.1 gone' }
            : undefined,
    },
  })
  const account = await addAccount(smtp)
  const queueId = await submit({
    account,
    to: ['good@example.net', 'slow@example.net', 'gone@example.net'],
  })
  await finished(queueId)
  expect(smtp.accepted.map(({ to }) => to)).toEqual([['good@example.net'], ['slow@example.net']])
  const reported = (await eventsOf(account)).map(({ event, data }) => [
    event,
    (data['envelope'] as { to: string[] }).to,
  ])
  expect(reported).toEqual([
    ['messageSent', ['good@example.net']],
    ['messageDeliveryError', ['slow@example.net', 'gone@example.net']],
    ['messageSent', ['slow@example.net']],
  ])
})

test('sender: server with a recipient limit, continues in the same attempt', async () => {
  const smtp = await server()
  const recipientCounts = new WeakMap<object, number>()
  smtp.on('MAIL', ({ session }) => void recipientCounts.set(session, 0))
  smtp.on('RCPT', ({ session }) => {
    const before = recipientCounts.get(session) ?? 0
    recipientCounts.set(session, before + 1)
    return before < 2 ? undefined : ['452 4.5.3 Too many recipients']
  })
  const account = await addAccount(smtp)
  const to = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@example.net`)
  const queueId = await submit({ account, to, maxAttempts: 1 })
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 1, lastError: null })
  expect(smtp.accepted.map((message) => message.to)).toEqual([
    to.slice(0, 2),
    to.slice(2, 4),
    to.slice(4),
  ])
  const events = await eventsOf(account)
  expect(events.map(({ event }) => event)).toEqual(['messageSent', 'messageSent', 'messageSent'])
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(3)
})

test('sender: scheduled submission, waits for its time', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const later = await submit({ account, sendAt: new Date(Date.now() + 3_600_000) })
  const now = await submit({ account })
  await finished(now)
  expect(await row(later)).toMatchObject({ state: 'queued', attempts: 0 })
  await db
    .updateTable('outbox')
    .set({ nextAttemptAt: new Date() })
    .where('queueId', '=', later)
    .execute()
  await finished(later)
  expect(smtp.accepted).toHaveLength(2)
})

test('sender: account without SMTP, fails with SMTPUnavailable', async () => {
  const account = await addAccount({ host: 'x', port: 1 })
  await db.updateTable('accounts').set({ smtp: null }).where('account', '=', account).execute()
  const queueId = await submit({ account })
  expect(await finished(queueId)).toMatchObject({
    state: 'failed',
    lastError: { code: 'SMTPUnavailable' },
  })
})

test('sender: metadata address, fails with EEGRESSBLOCKED', async () => {
  const account = await addAccount({ host: '169.254.169.254', port: 25 })
  expect(await finished(await submit({ account }))).toMatchObject({
    state: 'failed',
    attempts: 1,
    lastError: { code: 'EEGRESSBLOCKED', command: 'CONN' },
  })
})

test('SmtpTransport: submissions of one account, share sessions', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const ids = await Promise.all(Array.from({ length: 40 }, () => submit({ account })))
  await Promise.all(ids.map(finished))
  expect(smtp.accepted).toHaveLength(40)
  expect(new Set(smtp.accepted.map(({ messageId }) => messageId)).size).toBe(40)
  expect(smtp.connections).toBeLessThanOrEqual(5)
})

test('SmtpSession: password credentials, logs in over TLS', async () => {
  const logins: unknown[] = []
  const smtp = await server({
    requireLogin: true,
    behaviour: { onLogin: (login) => void logins.push(login) },
  })
  await using bridge = await serveCredentials(fixture.broker.url, () => ({
    user: 'me',
    pass: 'pässword',
  }))
  const account = await addAccount(smtp, { auth: { user: 'me' } })
  expect(await finished(await submit({ account }))).toMatchObject({ state: 'sent', attempts: 1 })
  expect(bridge.requests).toEqual([`${account} smtp`])
  expect(logins).toEqual([expect.objectContaining({ user: 'me', password: 'pässword' })])
})

test('SmtpSession: access token, logs in with XOAUTH2', async () => {
  const logins: unknown[] = []
  const smtp = await server({
    requireLogin: true,
    secure: true,
    behaviour: { onLogin: (login) => void logins.push(login) },
  })
  await using _bridge = await serveCredentials(fixture.broker.url, () => ({
    user: 'me',
    accessToken: 'token',
  }))
  const account = await addAccount(smtp, { useAuthServer: true, secure: true })
  expect(await finished(await submit({ account }))).toMatchObject({ state: 'sent' })
  expect(logins).toEqual([expect.objectContaining({ method: 'XOAUTH2', accessToken: 'token' })])
})

test('sender: auth-bridge unavailable, counts no attempt', async () => {
  const smtp = await server({ requireLogin: true })
  const account = await addAccount(smtp, { auth: { user: 'me' } })
  const queueId = await submit({ account })
  await eventually(async () => {
    const { attempts, nextAttemptAt } = await row(queueId)
    expect({ attempts, rests: nextAttemptAt.getTime() > Date.now() }).toEqual({
      attempts: 0,
      rests: true,
    })
  })
  expect(await eventsOf(account)).toEqual([])
  await using _bridge = await serveCredentials(fixture.broker.url, () => ({
    user: 'me',
    pass: 'x',
  }))
  await db
    .updateTable('outbox')
    .set({ nextAttemptAt: new Date() })
    .where('queueId', '=', queueId)
    .execute()
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 1 })
})

test('sender: rejected login, retries and suspends the account', async () => {
  const smtp = await server({
    requireLogin: true,
    behaviour: { onLogin: () => ({ code: 535, text: '5.7.8 bad password' }) },
  })
  await using _bridge = await serveCredentials(fixture.broker.url, () => ({
    user: 'me',
    pass: 'wrong',
  }))
  const account = await addAccount(smtp, { auth: { user: 'me' } })
  const ids = await Promise.all(Array.from({ length: 6 }, () => submit({ account })))
  await eventually(async () => expect((await eventsOf(account)).length).toBeGreaterThan(5))
  expect((await eventsOf(account))[0]).toMatchObject({
    event: 'messageDeliveryError',
    data: { errorCode: 'EAUTH', smtpResponseCode: 535 },
  })
  smtp.behaviour.onLogin = () => undefined
  for (const id of ids) expect(await finished(id)).toMatchObject({ state: 'sent' })
})

test('sender: missing password, is a rejected login', async () => {
  const smtp = await server({ requireLogin: true })
  await using _bridge = await serveCredentials(
    fixture.broker.url,
    () => new AppError('rejected', 'No SMTP password is stored', { code: 'AuthenticationFails' }),
  )
  const account = await addAccount(smtp, { auth: { user: 'me' } })
  await submit({ account, maxAttempts: 1 })
  const [error] = await eventually(async () =>
    (await eventsOf(account)).length === 2 ? eventsOf(account) : false,
  )
  expect(error?.data).toMatchObject({
    errorCode: 'EAUTH',
    error: 'No SMTP password is stored',
    smtpCommand: 'AUTH',
  })
})
