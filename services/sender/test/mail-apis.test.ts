import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { type MailApiAccess, MailApiError } from '@posthorn/backends/mail-api'
import type { ProviderLimiter } from '@posthorn/backends/provider-limiter'
import { AppError } from '@posthorn/errors'
import { eventually } from '@posthorn/testkit'
import type { CreateMailApis } from '../src/connect-apis.ts'
import { claimDue } from '../src/store/claims.ts'
import { listDue } from '../src/store/outbox.ts'
import { pauseAccount, unlockAccounts } from '../src/store/sending-locks.ts'
import {
  apiFixture,
  deposit,
  draftsOf,
  failCall,
  idOf,
  past,
  sentIds,
  signal,
} from './api-fixture.ts'

const fixture = await apiFixture()
const { db, addAccount, sender, submit, waiting, leave, row, finished, eventsOf } = fixture
afterEach(() => fixture.stopSenders())
afterAll(() => fixture[Symbol.asyncDispose]())

const noLanes = { accounts: [], gateways: [], hosts: [] }

test.each(['gmail', 'graph'] as const)(
  '%s: deposits and releases a draft, once',
  async (backend) => {
    const { account, model } = await addAccount({ backend })
    await sender()
    const queueId = await submit({ account })
    expect(await finished(queueId)).toMatchObject({
      state: 'sent',
      attempts: 1,
      networkRouting: null,
    })
    expect(sentIds(model)).toEqual([idOf(queueId)])
    expect(model.api.calls.get('depositDraft')).toBe(1)
    expect(draftsOf(model)).toEqual([])
    const [sent] = model.store.list(model.folder('\\Sent').id)
    const messageId = sent?.content.header('message-id')
    const replaced = backend === 'gmail' ? { originalMessageId: idOf(queueId) } : {}
    expect(await eventsOf(account)).toEqual([
      {
        event: 'messageSent',
        eventId: expect.any(String),
        data: {
          messageId,
          ...replaced,
          response: expect.stringMatching(/^Accepted by .+ as .+/),
          queueId,
          envelope: { from: 'me@example.com', to: ['you@example.net'] },
        },
      },
    ])
    expect(fixture.credentialRequests).toContain(`${account} api`)
  },
)

test('paused account, sends: a submission needs no session of a sync-worker', async () => {
  const { account, model } = await addAccount()
  await db.updateTable('accounts').set({ paused: true }).where('account', '=', account).execute()
  await sender()
  const queueId = await submit({ account })
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 1 })
  expect(sentIds(model)).toEqual([idOf(queueId)])
})

test('sent message not visible yet, is looked up until it is', async () => {
  const { account, model } = await addAccount({ backend: 'graph' })
  model.sending.hiddenLookups = 2
  await sender()
  expect(await finished(await submit({ account }))).toMatchObject({ state: 'sent' })
  expect(model.api.calls.get('findSent')).toBe(3)
})

test('sent message never visible, is reported without the ids of the provider', async () => {
  const { account, model } = await addAccount({ backend: 'graph' })
  model.sending.hiddenLookups = Infinity
  await sender({ SVC_SENDER_FIND_SENT_TIMEOUT: '200ms' })
  const queueId = await submit({ account })
  const response = 'Accepted by Microsoft Graph'
  expect(await finished(queueId)).toMatchObject({
    state: 'sent',
    messageId: idOf(queueId),
    response,
  })
})

test('recipients of the envelope only, are in the Bcc header of the draft', async () => {
  const { account, model } = await addAccount()
  await sender()
  const mime = Buffer.from('From: me@example.com\r\nTo: you@example.net\r\n\r\nHello\r\n')
  const queueId = await submit({ account, to: ['you@example.net', 'hidden@example.net'], mime })
  await finished(queueId)
  expect(model.sending.sent[0]?.toString()).toContain('\r\nBcc: hidden@example.net\r\n')
})

test('reply, is deposited in the thread of the original', async () => {
  const { account, model } = await addAccount()
  const { threadId } = model.deliver('Subject: a\r\n\r\nhello\r\n')
  await sender()
  const queueId = await submit({ account, providerThread: threadId })
  expect(await finished(queueId)).toMatchObject({ providerDraft: { threadId } })
})

test('copy requested, files none: the provider has stored it', async () => {
  const { account } = await addAccount()
  await sender()
  const filing = { copy: true, sentMailPath: 'Archive' }
  expect(await finished(await submit({ account, filing }))).toMatchObject({
    filing: null,
    filingNextAt: null,
    mime: null,
  })
})

test.each([
  ['send-denied', 'SendAsDenied'],
  ['invalid-recipients', 'InvalidRecipients'],
  ['too-large', 'MessageTooLarge'],
  ['refused', 'EREFUSED'],
] as const)('%s, fails with its code and removes the draft', async (failure, errorCode) => {
  const { account, model } = await addAccount()
  const queueId = await waiting(account)
  const draft = await deposit(model, queueId)
  await leave(queueId, { draft })
  failCall(model, { method: 'releaseDraft', failure })
  await sender()
  expect(await finished(queueId)).toMatchObject({ state: 'failed' })
  const [failed, final] = await eventsOf(account)
  expect(failed).toMatchObject({ event: 'messageDeliveryError', data: { errorCode } })
  expect(Object.keys(failed?.data ?? {})).not.toContain('smtpResponseCode')
  expect(Object.keys(failed?.data ?? {})).not.toContain('smtpCommand')
  expect(final).toMatchObject({ event: 'messageFailed', data: { error: `model: ${failure}` } })
  await fixture.untilNoDrafts(model)
  expect(model.sending.sent).toEqual([])
})

test('access denied, is retried', async () => {
  const { account, model } = await addAccount()
  failCall(model, { method: 'depositDraft', failure: 'access-denied' })
  await sender()
  const queueId = await submit({ account })
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 2 })
  expect(await eventsOf(account)).toMatchObject([
    { event: 'messageDeliveryError', data: { errorCode: 'AccessDenied' } },
    { event: 'messageSent' },
  ])
})

test('access denied, suspends the account: its other messages keep their attempts', async () => {
  const [denied, other] = [await addAccount(), await addAccount()]
  failCall(denied.model, { method: 'depositDraft', failure: 'access-denied' })
  await sender({ SVC_SENDER_RETRY_BASE: '1h' })
  await submit({ account: denied.account })
  await eventually(async () => expect(await eventsOf(denied.account)).toHaveLength(1))
  const second = await submit({ account: denied.account })
  await finished(await submit({ account: other.account }))
  expect(await row(second)).toMatchObject({ state: 'queued', attempts: 0 })
})

test('login refused by auth-bridge, fails without an SMTP command', async () => {
  const { account } = await addAccount()
  fixture.failLogins(new AppError('rejected', 'Grant revoked', { code: 'AuthenticationFails' }))
  await sender()
  const queueId = await submit({ account, maxAttempts: 1 })
  const lastError = { message: 'Grant revoked', code: 'EAUTH' }
  expect(await finished(queueId)).toMatchObject({ state: 'failed', lastError })
})

test.each([
  ['rate limit', 'rate-limited'],
  ['outage with an announced end', 'unavailable'],
] as const)(
  '%s, pauses the account in all senders and counts no attempt',
  async (_case, failure) => {
    const { account, model } = await addAccount()
    const other = await addAccount()
    failCall(model, { method: 'releaseDraft', failure, retryAfterMs: 3_600_000 })
    const first = await submit({ account })
    await Promise.all([sender(), sender()])
    await eventually(async () => {
      const { providerDraft, attempts, worker } = await row(first)
      expect({ providerDraft, attempts, worker }).toMatchObject({
        providerDraft: expect.anything(),
        attempts: 0,
        worker: null,
      })
    })
    const second = await submit({ account })
    await finished(await submit({ account: other.account }))
    expect((await row(first)).nextAttemptAt.getTime()).toBeGreaterThan(Date.now() + 3_000_000)
    expect(await row(second)).toMatchObject({ state: 'queued', attempts: 0 })
    expect(await eventsOf(account)).toEqual([])
    // The mail provider's pause of the account ends.
    await db.updateTable('sendingLocks').set({ pausedUntil: past() }).execute()
    await db
      .updateTable('outbox')
      .set({ nextAttemptAt: past() })
      .where('queueId', '=', first)
      .execute()
    for (const queueId of [first, second])
      expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 1 })
    expect(sentIds(model).toSorted()).toEqual([idOf(first), idOf(second)].toSorted())
  },
)

test.each(['before', 'after'] as const)(
  'response of the release lost %s its effect, sends once',
  async (phase) => {
    const { account, model } = await addAccount()
    failCall(model, { method: 'releaseDraft', failure: 'unavailable', phase })
    await sender()
    const queueId = await submit({ account })
    const attempts = phase === 'after' ? 1 : 2
    expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts })
    expect(sentIds(model)).toEqual([idOf(queueId)])
  },
)

test('release and look at the draft without a response, decides later without an attempt', async () => {
  const { account, model } = await addAccount()
  let cuts = 2
  model.onCall = ({ method, phase }) => {
    const isCut =
      (method === 'releaseDraft' && phase === 'after') ||
      (method === 'findDrafts' && phase === 'before')
    if (isCut && cuts-- > 0) throw new MailApiError('unavailable', 'connection lost')
  }
  await sender()
  const queueId = await submit({ account, maxAttempts: 1 })
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 1 })
  expect(sentIds(model)).toEqual([idOf(queueId)])
  expect((await eventsOf(account)).map(({ event }) => event)).toEqual(['messageSent'])
})

test('two senders, one account: one call at a time, each message once', async () => {
  const accounts = await Promise.all([addAccount(), addAccount({ backend: 'graph' })])
  const ids = await Promise.all(
    accounts.flatMap(({ account }) => Array.from({ length: 15 }, () => submit({ account }))),
  )
  await Promise.all([sender(), sender()])
  for (const id of ids) expect(await finished(id)).toMatchObject({ state: 'sent' })
  for (const { account, model } of accounts) {
    expect(new Set(sentIds(model)).size).toBe(15)
    expect(model.sending.sent).toHaveLength(15)
    expect(fixture.concurrency(account)).toBe(1)
  }
})

test('claimDue: account locked by another sender or paused, claims nothing of it', async () => {
  const { account } = await addAccount()
  const rows = await Promise.all(
    Array.from({ length: 2 }, async () => {
      const queueId = await submit({ account })
      return { queueId, account, byApi: true }
    }),
  )
  const [first, second] = rows.map((each) => [each])
  const [workerA, workerB] = [randomUUID(), randomUUID()]
  const claim = async (row: typeof first, worker: string) =>
    (await claimDue(db, row ?? [], { worker, dead: [], leaseMs: 60_000 })).length
  expect(await claim(first, workerA)).toBe(1)
  expect(await claim(second, workerB)).toBe(0)
  const senders = { worker: workerB, silent: [] }
  const listed = await listDue(db, { limit: 10, senders, saturated: noLanes })
  expect(listed.filter((row) => row.account === account)).toEqual([])
  await pauseAccount(db, account, 60_000)
  await unlockAccounts(db, first ?? [], workerA)
  expect(await claim(second, workerB)).toBe(0)
  await pauseAccount(db, account, 0)
  expect(await claim(second, workerB)).toBe(1)
})

test('release without a client for the mail system, leaves the submission to others', async () => {
  const { account, model } = await addAccount()
  const queueId = await submit({ account })
  const older = await fixture.startWithoutApis()
  await eventually(async () => expect((await row(queueId)).nextAttemptAt > new Date()).toBe(true))
  await older[Symbol.asyncDispose]()
  expect(await row(queueId)).toMatchObject({ state: 'queued', attempts: 0 })
  expect(model.sending.sent).toEqual([])
})

test('client of an account: its mailbox and application, a login that is renewed on request', async () => {
  const { account, model } = await addAccount()
  const clients: [MailApiAccess, ProviderLimiter][] = []
  const createMailApis: CreateMailApis = (_stack, { limiter }) => ({
    gmail: (access: MailApiAccess) => {
      clients.push([access, limiter])
      return model.api
    },
  })
  await using _sender = await fixture.startSender({}, { createMailApis })
  await finished(await submit({ account }))
  // Accounts of earlier tests may still have a draft to remove or a submission to send.
  const [access, limiter] = clients.find(([each]) => each.account === account) ?? []
  expect(access).toMatchObject({ provider: 'gmail', account, application: 'app' })
  expect(await access?.login({ fresh: false, signal })).toEqual({
    user: 'jane@mail.example',
    accessToken: 'token',
  })
  await access?.login({ fresh: true, signal })
  const requests = fixture.credentialRequests.filter((each) => each.startsWith(account))
  expect(requests).toEqual([`${account} api`, `${account} api fresh`])
  const call = { operation: 'drafts.create', priority: 'caller' } as const
  expect(await limiter?.acquire(access ?? never(), call)).toBeDefined()
})

function never(): never {
  throw new Error('no client was created')
}
