import { afterAll, afterEach, expect, test } from '@jest/globals'
import { type MailApi, MailApiError } from '@posthorn/backends/mail-api'
import { eventually } from '@posthorn/testkit'
import { changeSubmission } from '../src/store/outbox-changes.ts'
import { apiFixture, deposit, draftsOf, idOf, sentIds, signal } from './api-fixture.ts'

const fixture = await apiFixture()
const { db, addAccount, sender, submit, waiting, leave, orphan, finished } = fixture
const { makeCleanupsDue, untilNoDrafts } = fixture
afterEach(() => fixture.stopSenders())
afterAll(() => fixture[Symbol.asyncDispose]())

/** Makes a waiting submission due, so that senders start it. */
const releaseNow = (queueId: string) =>
  db
    .updateTable('outbox')
    .set({ nextAttemptAt: new Date(0) })
    .where('queueId', '=', queueId)
    .execute()

test.each(['without', 'with'])(
  'sender dies with a committed draft %s the intent record, the next one releases it',
  async (kind) => {
    const { account, model } = await addAccount()
    const queueId = await waiting(account)
    await leave(queueId, { draft: await deposit(model, queueId), intent: kind === 'with' })
    await sender()
    expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 2 })
    expect(sentIds(model)).toEqual([idOf(queueId)])
    expect(model.api.calls.get('depositDraft')).toBe(1)
  },
)

test('sender dies after the release, the next one reports the sent message', async () => {
  const { account, model } = await addAccount()
  const queueId = await waiting(account)
  const draft = await deposit(model, queueId)
  await model.api.releaseDraft(draft.id, signal)
  await leave(queueId, { draft, intent: true })
  await sender()
  expect(await finished(queueId)).toMatchObject({ state: 'sent', originalMessageId: idOf(queueId) })
  expect(sentIds(model)).toEqual([idOf(queueId)])
})

test('sender dies before its draft is committed, the next one adopts it', async () => {
  const { account, model } = await addAccount()
  const queueId = await waiting(account)
  await orphan(model, { account, queueId })
  await sender()
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
  expect(sentIds(model)).toEqual([idOf(queueId)])
  expect(model.api.calls.get('depositDraft')).toBe(1)
  expect(draftsOf(model)).toEqual([])
})

test.each(['gmail', 'graph'] as const)(
  '%s: draft that is not in the index yet, is removed later and the sent message stays',
  async (backend) => {
    const { account, model } = await addAccount({ backend })
    const queueId = await waiting(account)
    await orphan(model, { account, queueId })
    model.sending.hiddenDraftLookups = 2
    await sender()
    expect(await finished(queueId)).toMatchObject({ state: 'sent' })
    expect(sentIds(model)).toEqual([idOf(queueId)])
    expect(model.api.calls.get('depositDraft')).toBe(2)
    await untilNoDrafts(model)
    const cleanups = db.selectFrom('draftCleanups').selectAll()
    await eventually(async () => {
      await makeCleanupsDue()
      expect(await cleanups.execute()).toEqual([])
    })
    expect(model.store.list(model.folder('\\Sent').id)).toHaveLength(1)
  },
)

test('index that still reports the sent draft, the cleanup removes the other one only', async () => {
  const { account, model } = await addAccount({ backend: 'graph' })
  const queueId = await waiting(account)
  await orphan(model, { account, queueId })
  const sent = { id: 'sent', messageId: 'sent' }
  await leave(queueId, { draft: sent })
  await db.updateTable('outbox').set({ state: 'sent' }).where('queueId', '=', queueId).execute()
  const removed: string[] = []
  const api: MailApi = Object.assign(Object.create(model.api), {
    findDrafts: () => Promise.resolve([sent, { id: 'other', messageId: 'other' }]),
    discardDraft: (id: string) => Promise.resolve(void removed.push(id)),
  })
  const createMailApis = () => ({ graph: () => api })
  await using _sender = await fixture.startSender({}, { createMailApis })
  await eventually(async () => {
    await makeCleanupsDue()
    expect(removed.length).toBeGreaterThan(1)
  })
  expect(new Set(removed)).toEqual(new Set(['other']))
})

test.each(['unavailable', 'too-large'] as const)(
  'deposit that leaves an incomplete draft (%s), is not adopted and removed',
  async (failure) => {
    const { account, model } = await addAccount({ backend: 'graph' })
    const queueId = await waiting(account, { maxAttempts: failure === 'unavailable' ? 2 : 1 })
    const { messageId } = await deposit(model, queueId)
    model.sending.incomplete.add(messageId)
    model.onCall = ({ method, phase }) => {
      if (method !== 'depositDraft' || phase !== 'before') return
      model.onCall = () => undefined
      throw Object.assign(new MailApiError(failure, 'cut'), { leavesDraft: true })
    }
    await releaseNow(queueId)
    await sender()
    const state = failure === 'unavailable' ? 'sent' : 'failed'
    expect(await finished(queueId)).toMatchObject({ state })
    await untilNoDrafts(model)
    expect(sentIds(model)).toEqual(state === 'sent' ? [idOf(queueId)] : [])
    const cleanups = db.selectFrom('draftCleanups').selectAll().where('queueId', '=', queueId)
    await eventually(async () => {
      await makeCleanupsDue()
      expect(await cleanups.execute()).toEqual([])
    })
  },
)

test('last attempt interrupted with a draft, fails and removes it', async () => {
  const { account, model } = await addAccount()
  const queueId = await waiting(account, { maxAttempts: 1 })
  await leave(queueId, { draft: await deposit(model, queueId), intent: true })
  await sender()
  const lastError = { code: 'EINTERRUPTED' }
  expect(await finished(queueId)).toMatchObject({ state: 'failed', lastError })
  await untilNoDrafts(model)
  expect(sentIds(model)).toEqual([])
})

test('last attempt interrupted after the release, reports the message as sent', async () => {
  const { account, model } = await addAccount()
  const queueId = await waiting(account, { maxAttempts: 1 })
  const draft = await deposit(model, queueId)
  await model.api.releaseDraft(draft.id, signal)
  await leave(queueId, { draft, intent: true })
  await sender()
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
})

test('waiting submission with a draft deleted, removes the draft', async () => {
  const { account, model } = await addAccount()
  const queueId = await waiting(account)
  await leave(queueId, { draft: await deposit(model, queueId) })
  await db.updateTable('outbox').set({ leaseUntil: null }).where('queueId', '=', queueId).execute()
  expect(await changeSubmission(db, queueId, 'delete')).toBe('done')
  await sender()
  await untilNoDrafts(model)
})

test('send-only grant, sends without a draft, and again after a crash', async () => {
  const { account, model } = await addAccount({ sendOnly: true })
  const queueId = await waiting(account)
  await leave(queueId, { intent: true })
  await sender()
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 2 })
  expect(await finished(await submit({ account }))).toMatchObject({ state: 'sent', attempts: 1 })
  expect(model.sending.sent).toHaveLength(2)
  expect(model.api.calls.get('depositDraft')).toBeUndefined()
})

test('send-only grant, last attempt interrupted: fails, nothing is sent again', async () => {
  const { account, model } = await addAccount({ sendOnly: true })
  const queueId = await waiting(account, { maxAttempts: 1 })
  await leave(queueId, { intent: true })
  await sender()
  const lastError = { code: 'EINTERRUPTED' }
  expect(await finished(queueId)).toMatchObject({ state: 'failed', lastError })
  expect(model.sending.sent).toEqual([])
})
