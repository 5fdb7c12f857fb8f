import { expect } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import {
  type CreateEnvironment,
  type DefineCase,
  folderOf,
  isIn,
  mail,
  signal,
} from './environment.ts'

const messageIdHeader = '<a@mail.example>'

export function sendingCases(create: CreateEnvironment, test: DefineCase): void {
  test('depositDraft and releaseDraft: sends once, the draft no longer exists', async () => {
    await using environment = await create()
    const { api } = environment
    const drafts = await folderOf(api, '\\Drafts')
    const sentFolder = await folderOf(api, '\\Sent')
    const draft = await api.depositDraft(Buffer.from(mail('a')), {}, signal)
    expect(await isIn(api, draft.messageId, drafts.id)).toBe(true)
    expect(environment.sent()).toEqual([])
    for (const query of [{ draftId: draft.id }, { messageId: draft.messageId }])
      expect(await api.findDrafts(query, signal)).toEqual([draft])
    await eventually(async () =>
      expect(await api.findDrafts({ messageIdHeader }, signal)).toEqual([draft]),
    )
    expect(await api.findSent({ ...draft, messageIdHeader }, signal)).toBeUndefined()
    await api.releaseDraft(draft.id, signal)
    expect(environment.sent()).toEqual([expect.stringContaining('hello a')])
    expect(await api.findDrafts({ draftId: draft.id }, signal)).toEqual([])
    await expect(api.releaseDraft(draft.id, signal)).rejects.toMatchObject({
      failure: 'message-missing',
    })
    const sent = await eventually(
      async () => (await api.findSent({ ...draft, messageIdHeader }, signal)) ?? null,
    )
    expect(await isIn(api, sent.id ?? '', sentFolder.id)).toBe(true)
    expect(sent.messageIdHeader).toMatch(/^<.+@.+>$/)
    const { envelope } = await api.getMessage(sent.id ?? '', {}, signal)
    expect(envelope.messageId).toBe(sent.messageIdHeader)
    expect(environment.sent()).toHaveLength(1)
  })

  test('releaseDraft: draft stored by another client, is found by its message id', async () => {
    await using environment = await create()
    const { api } = environment
    const drafts = await folderOf(api, '\\Drafts')
    const target = { folderId: drafts.id, draft: true }
    const { id } = await api.appendMessage(Buffer.from(mail('stored')), target, signal)
    const [draft] = await api.findDrafts({ messageId: id }, signal)
    expect(draft).toMatchObject({ messageId: id })
    await api.releaseDraft(draft?.id ?? '', signal)
    expect(environment.sent()).toEqual([expect.stringContaining('hello stored')])
  })

  test('discardDraft: deletes the draft, succeeds without one', async () => {
    await using environment = await create()
    const { api } = environment
    const draft = await api.depositDraft(Buffer.from(mail('a')), {}, signal)
    await api.discardDraft(draft.id, signal)
    await api.discardDraft(draft.id, signal)
    expect(await api.findDrafts({ draftId: draft.id }, signal)).toEqual([])
    expect(environment.sent()).toEqual([])
  })

  test('sendMessage: sends without a draft', async () => {
    await using environment = await create()
    const { api } = environment
    await api.sendMessage(Buffer.from(mail('direct')), {}, signal)
    expect(environment.sent()).toEqual([expect.stringContaining('hello direct')])
    expect(await api.findDrafts({ messageIdHeader: '<direct@mail.example>' }, signal)).toEqual([])
  })

  test('depositDraft: thread of another mailbox, deposits without it', async () => {
    await using environment = await create()
    const { api } = environment
    const replied = await environment.deliver(mail('thread'))
    const { threadId = '' } = await api.getMessage(replied, {}, signal)
    const options = [{ threadId: environment.ids[0] ?? '' }, ...(threadId ? [{ threadId }] : [])]
    for (const option of options)
      expect((await api.depositDraft(Buffer.from(mail('a')), option, signal)).id).not.toBe('')
  })

  test('sending: too large or without recipients, fails and sends nothing', async () => {
    await using environment = await create()
    const { api } = environment
    const large = Buffer.alloc(api.traits.maxSentBytes + 1, 'x')
    const tooLarge = { failure: 'too-large', kind: 'too-large', code: 'MessageTooLarge' }
    await expect(api.depositDraft(large, {}, signal)).rejects.toMatchObject(tooLarge)
    await expect(api.sendMessage(large, {}, signal)).rejects.toMatchObject(tooLarge)
    const withoutTo = Buffer.from(mail('a').replace(/^To:.*\r\n/m, ''))
    await expect(api.sendMessage(withoutTo, {}, signal)).rejects.toMatchObject({
      failure: 'invalid-recipients',
    })
    expect(environment.sent()).toEqual([])
  })
}
