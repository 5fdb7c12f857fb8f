import { afterAll, afterEach, describe, expect, test } from '@jest/globals'
import type { MailApiModel } from '@posthorn/testkit/mail-api-model'
import { changeSubmission } from '../src/store/outbox-changes.ts'
import { apiFixture, draftsOf, failCall, idOf, sentIds, signal } from './api-fixture.ts'

// Tests of submissions of drafts that the mailbox owner stored.

const fixture = await apiFixture()
const { db, addAccount, sender, waiting, leave, orphan, row, finished, eventsOf } = fixture
afterEach(() => fixture.stopSenders())
afterAll(() => fixture[Symbol.asyncDispose]())

const headerOf = (account: string) => `<draft-of-${account}@example.com>`
const mimeOf = (account: string, text: string) =>
  Buffer.from(`To: you@example.net\r\nMessage-ID: ${headerOf(account)}\r\n\r\n${text}\r\n`)

const change = (queueId: string, columns: object) =>
  db.updateTable('outbox').set(columns).where('queueId', '=', queueId).execute()
const releaseNow = (queueId: string) => change(queueId, { nextAttemptAt: new Date(0) })

/** Inserts a waiting submission of a draft that the mailbox owner stored as a reply. */
async function submitStored(account: string, model: MailApiModel) {
  const { threadId } = model.deliver('Subject: original\r\n\r\nhello\r\n')
  const stored = { folderId: model.folder('\\Drafts').id, draft: true, threadId }
  const { id: messageId } = model.deliver(mimeOf(account, 'stored'), stored)
  const [draft] = await model.api.findDrafts({ messageId }, signal)
  if (!draft) throw new Error('no draft')
  const queueId = await waiting(account)
  const { version } = draft
  const storedDraft = JSON.stringify({ messageId, messageIdHeader: headerOf(account), version })
  await change(queueId, { storedDraft, providerThread: threadId })
  return { queueId, draft, threadId, committed: { ...draft, stored: true as const } }
}

const cleanupsOf = (queueId: string) =>
  db.selectFrom('draftCleanups').selectAll().where('queueId', '=', queueId).execute()
const sentCopies = (model: MailApiModel) => model.store.list(model.folder('\\Sent').id)

describe.each(['gmail', 'graph'] as const)('%s: stored draft', (backend) => {
  test('is released itself, in its thread, and leaves its sent copy', async () => {
    const { account, model } = await addAccount({ backend })
    const { queueId, threadId, draft } = await submitStored(account, model)
    await releaseNow(queueId)
    await sender()
    expect(await finished(queueId)).toMatchObject({
      state: 'sent',
      originalMessageId: idOf(queueId),
      providerDraft: { id: draft.id },
      filingNextAt: null,
    })
    expect(sentIds(model)).toEqual([headerOf(account)])
    expect(model.api.calls.get('depositDraft')).toBeUndefined()
    expect(draftsOf(model)).toEqual([])
    expect(await cleanupsOf(queueId)).toEqual([])
    const [copy] = sentCopies(model)
    expect(copy?.threadId).toBe(threadId)
    const messageId = copy?.content.header('message-id')
    expect(await eventsOf(account)).toMatchObject([
      { event: 'messageSent', data: { messageId, originalMessageId: idOf(queueId) } },
    ])
  })

  test.each(['before the attempt', 'after it was looked up'])(
    'deleted %s, is sent once from its copy',
    async (moment) => {
      const { account, model } = await addAccount({ backend })
      const { queueId, draft, committed } = await submitStored(account, model)
      if (moment !== 'before the attempt') await leave(queueId, { draft: committed })
      model.remove(draft.messageId)
      await releaseNow(queueId)
      await sender()
      expect(await finished(queueId)).toMatchObject({ state: 'sent' })
      expect(sentIds(model)).toEqual([idOf(queueId)])
    },
  )

  test.each(['before the attempt', 'after it was looked up'])(
    'changed %s, stays, and its copy is sent once in the thread',
    async (moment) => {
      const { account, model } = await addAccount({ backend })
      const { queueId, draft, committed } = await submitStored(account, model)
      if (moment !== 'before the attempt') await leave(queueId, { draft: committed })
      const edited = model.sending.edit(draft.messageId, mimeOf(account, 'changed'))
      await releaseNow(queueId)
      await sender()
      const { providerDraft } = await finished(queueId)
      expect(sentIds(model)).toEqual([idOf(queueId)])
      expect(providerDraft?.threadId).toBe(draft.threadId)
      expect(draftsOf(model).map(({ id }) => id)).toEqual([edited])
    },
  )

  test('changed, sender dies before the draft of its copy is committed: that one is adopted', async () => {
    const { account, model } = await addAccount({ backend })
    const { queueId, draft } = await submitStored(account, model)
    const edited = model.sending.edit(draft.messageId, mimeOf(account, 'changed'))
    await orphan(model, { account, queueId })
    await sender()
    expect(await finished(queueId)).toMatchObject({ state: 'sent' })
    expect(sentIds(model)).toEqual([idOf(queueId)])
    expect(model.api.calls.get('depositDraft')).toBe(1)
    expect(draftsOf(model).map(({ id }) => id)).toEqual([edited])
  })

  test('refused by the provider, stays', async () => {
    const { account, model } = await addAccount({ backend })
    const { queueId, draft } = await submitStored(account, model)
    failCall(model, { method: 'releaseDraft', failure: 'refused' })
    await releaseNow(queueId)
    await sender()
    expect(await finished(queueId)).toMatchObject({ state: 'failed' })
    expect(await cleanupsOf(queueId)).toEqual([])
    expect(draftsOf(model).map(({ id }) => id)).toEqual([draft.messageId])
  })

  test('submission deleted after an attempt, stays', async () => {
    const { account, model } = await addAccount({ backend })
    const { queueId, draft, committed } = await submitStored(account, model)
    await leave(queueId, { draft: committed })
    await change(queueId, { leaseUntil: null })
    expect(await changeSubmission(db, queueId, 'delete')).toBe('done')
    expect(await cleanupsOf(queueId)).toEqual([])
    expect(draftsOf(model).map(({ id }) => id)).toEqual([draft.messageId])
  })

  test.each(['before', 'after'])('sender dies %s the release, is sent once', async (moment) => {
    const { account, model } = await addAccount({ backend })
    const { queueId, draft, committed } = await submitStored(account, model)
    if (moment === 'after') await model.api.releaseDraft(draft.id, signal)
    await leave(queueId, { draft: committed, intent: true })
    await sender()
    expect(await finished(queueId)).toMatchObject({ state: 'sent' })
    expect(sentIds(model)).toEqual([headerOf(account)])
    expect(sentCopies(model)).toHaveLength(1)
    expect(model.api.calls.get('depositDraft')).toBeUndefined()
    expect(await row(queueId)).toMatchObject({ originalMessageId: idOf(queueId) })
  })

  test('changed after its release was started, decides all the same', async () => {
    const { account, model } = await addAccount({ backend })
    const { queueId, draft, committed } = await submitStored(account, model)
    await leave(queueId, { draft: committed, intent: true })
    model.sending.edit(draft.messageId, mimeOf(account, 'changed'))
    await sender()
    expect(await finished(queueId)).toMatchObject({ state: 'sent' })
    expect(model.sending.sent).toHaveLength(1)
    expect(draftsOf(model)).toEqual([])
  })
})
