import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { cleanups, isRemovable, mayCleanUp } from '../src/store/draft-cleanups.ts'
import { changeSubmission } from '../src/store/outbox-changes.ts'
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

// Tests of the drafts that decide whether a submission was sent, and of drafts that do not.

const fixture = await apiFixture()
const { db, addAccount, sender, submit, waiting, leave, orphan, row, finished, eventsOf } = fixture
afterEach(() => fixture.stopSenders())
afterAll(() => fixture[Symbol.asyncDispose]())

const change = (queueId: string, columns: object) =>
  db.updateTable('outbox').set(columns).where('queueId', '=', queueId).execute()
const releaseNow = (queueId: string) => change(queueId, { nextAttemptAt: new Date(0) })

test('committed draft deleted before the release, is deposited again and sent once', async () => {
  const { account, model } = await addAccount()
  const queueId = await waiting(account)
  const draft = await deposit(model, queueId)
  await leave(queueId, { draft })
  await model.api.discardDraft(draft.id, signal)
  await sender()
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
  expect(sentIds(model)).toEqual([idOf(queueId)])
  expect(model.api.calls.get('depositDraft')).toBe(2)
})

test('first release finds no draft, is repeated: nothing was sent', async () => {
  const { account, model } = await addAccount()
  failCall(model, { method: 'releaseDraft', failure: 'message-missing' })
  await sender()
  const queueId = await submit({ account })
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 2 })
  expect(sentIds(model)).toEqual([idOf(queueId)])
})

test('process stops while it looks for the sent message, the next one does not send again', async () => {
  const { account, model } = await addAccount({ backend: 'graph' })
  model.sending.hiddenLookups = Infinity
  await sender()
  const queueId = await submit({ account })
  await eventually(() => expect(model.api.calls.get('findSent')).toBeGreaterThan(0))
  await fixture.stopSenders()
  expect(await row(queueId)).toMatchObject({ attempts: 0, dataSentAt: expect.any(Date) })
  model.sending.hiddenLookups = 0
  await sender()
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
  expect(sentIds(model)).toEqual([idOf(queueId)])
})

test('release without a response takes effect later, is neither repeated nor deleted meanwhile', async () => {
  const { account, model } = await addAccount({ backend: 'graph' })
  failCall(model, { method: 'releaseDraft', failure: 'unavailable' })
  await sender({ SVC_SENDER_RETRY_BASE: '1h' })
  const queueId = await submit({ account })
  const { providerDraft } = await eventually(async () => {
    const current = await row(queueId)
    return current.lastError !== null && current
  })
  for (const action of ['delete', 'hold'] as const)
    expect(await changeSubmission(db, queueId, action)).toBe('busy')
  model.sending.release(providerDraft?.id ?? '')
  await fixture.stopSenders()
  await sender()
  await releaseNow(queueId)
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
  expect(sentIds(model)).toEqual([idOf(queueId)])
  expect(model.api.calls.get('depositDraft')).toBe(1)
})

/** Inserts two waiting submissions with the Message-ID of the first submission. */
async function submitTwice(account: string): Promise<[string, string]> {
  const first = await waiting(account)
  const second = await waiting(account)
  const mime = Buffer.from(
    `From: me@example.com\r\nTo: other@example.net\r\nMessage-ID: ${idOf(first)}\r\n\r\nOther\r\n`,
  )
  await change(second, { messageId: idOf(first), mime })
  return [first, second]
}

test('two submissions with one Message-ID, one rejected: the draft of the other stays and is sent once', async () => {
  const { account, model } = await addAccount()
  const marker = await addAccount()
  const [first, second] = await submitTwice(account)
  await leave(first, { draft: await deposit(model, first) })
  const draft = await deposit(model, first)
  await leave(second, { draft })
  await change(second, { nextAttemptAt: new Date(Date.now() + 3_600_000) })
  failCall(model, { method: 'releaseDraft', failure: 'refused' })
  const rejected = await waiting(marker.account)
  await leave(rejected, { draft: await deposit(marker.model, rejected) })
  failCall(marker.model, { method: 'releaseDraft', failure: 'refused' })
  await sender()
  for (const queueId of [first, rejected])
    expect(await finished(queueId)).toMatchObject({ state: 'failed' })
  // Waits until the cleanup of the rejected submission has checked the drafts twice.
  for (const least of [1, 2])
    await eventually(async () => {
      await fixture.makeCleanupsDue()
      const cleanups = db.selectFrom('draftCleanups').select('checks')
      const left = await cleanups.where('queueId', '=', rejected).executeTakeFirst()
      expect(left?.checks ?? Infinity).toBeGreaterThanOrEqual(least)
    })
  expect(draftsOf(model).map(({ id }) => id)).toContain(draft.messageId)
  await releaseNow(second)
  expect(await finished(second)).toMatchObject({ state: 'sent' })
  expect(model.sending.sent).toHaveLength(1)
  expect(model.api.calls.get('depositDraft')).toBe(2)
  await fixture.untilNoDrafts(model)
})

test.each(['committed', 'not committed'])(
  'draft of another submission with the Message-ID (%s), is not adopted',
  async (kind) => {
    const { account, model } = await addAccount()
    const [first, second] = await submitTwice(account)
    if (kind === 'committed') await leave(first, { draft: await deposit(model, first) })
    else await orphan(model, { account, queueId: first })
    await change(first, { nextAttemptAt: new Date(Date.now() + 3_600_000) })
    await db
      .insertInto('draftCleanups')
      .values({ queueId: second, account, messageId: idOf(first), checkAt: past() })
      .execute()
    await leave(second)
    await sender()
    expect(await finished(second)).toMatchObject({ state: 'sent' })
    expect(model.sending.sent.map(String)).toEqual([expect.stringContaining('\r\n\r\nOther')])
  },
)

test('isRemovable: not the draft of another submission, whatever its state; nothing while one with the Message-ID waits', async () => {
  // Deletes the draft cleanups of other tests, which may also be due.
  await db.deleteFrom('draftCleanups').execute()
  const { account, model } = await addAccount()
  const [first, second] = await submitTwice(account)
  const [own, other] = [await deposit(model, first), await deposit(model, first)]
  await leave(first, { draft: own })
  await leave(second, { draft: other })
  await change(first, { state: 'failed' })
  const values = { queueId: first, account, messageId: idOf(first), draftId: own.id }
  await db
    .insertInto('draftCleanups')
    .values({ ...values, checkAt: past() })
    .execute()
  const claim = { limit: 100, leaseMs: 0, where: mayCleanUp }
  const claimed = async () => (await cleanups.claim(db, claim)).length
  expect(await claimed()).toBe(0)
  expect(await isRemovable(db, values, own.id)).toBe(false)
  await change(second, { state: 'sent' })
  expect(await claimed()).toBe(1)
  expect(await isRemovable(db, values, own.id)).toBe(true)
  expect(await isRemovable(db, values, other.id)).toBe(false)
})

test('send-only grant, outage with an announced end: counts an attempt, pauses the account, keeps the intent record', async () => {
  const { account, model } = await addAccount({ sendOnly: true })
  failCall(model, { method: 'sendMessage', failure: 'unavailable', retryAfterMs: 3_600_000 })
  await sender()
  const queueId = await submit({ account })
  await eventually(async () => expect(await eventsOf(account)).toHaveLength(1))
  expect(await row(queueId)).toMatchObject({ attempts: 1, dataSentAt: expect.any(Date) })
  const [lock] = await db
    .selectFrom('sendingLocks')
    .select('pausedUntil')
    .where('account', '=', account)
    .execute()
  expect(lock?.pausedUntil?.getTime()).toBeGreaterThan(Date.now() + 3_000_000)
})
