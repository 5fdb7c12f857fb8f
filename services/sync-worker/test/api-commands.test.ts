import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { fileSent, findSent } from '@posthorn/contracts/commands/filing'
import {
  createMailbox,
  deleteMailbox,
  listMailboxes,
  updateMailbox,
} from '@posthorn/contracts/commands/mailboxes'
import { getQuota, listSignatures } from '@posthorn/contracts/commands/maintenance'
import {
  deleteMessage,
  deleteMessages,
  moveMessage,
  moveMessages,
  updateMessage,
  updateMessages,
} from '@posthorn/contracts/commands/message-changes'
import {
  getAttachment,
  getDraftVersion,
  getMessage,
  getMessageSource,
  getText,
  listMessages,
  searchMessages,
  uploadMessage,
} from '@posthorn/contracts/commands/messages'
import type { Command, CommandRequest } from '@posthorn/contracts/define'
import { shardOf } from '@posthorn/contracts/shards'
import { encodeApiAttachmentId, encodeApiTextId } from '@posthorn/message-id'
import { eventually } from '@posthorn/testkit'
import { type ApiMailbox, type ApiWorld, apiWorld, mime } from './api-world.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await apiWorld()
  await world.startApiWorker()
})
afterAll(() => world.close())

const paging = { page: 0, pageSize: 10 }
const image = Buffer.from('not really a png')
const related = [
  'MIME-Version: 1.0',
  'Content-Type: multipart/related; boundary="b"',
  '',
  '--b',
  'Content-Type: text/html',
  '',
  '<p onclick="x()">Hi <img src="cid:logo"></p>',
  '--b',
  'Content-Type: image/png; name="logo.png"',
  'Content-ID: <logo>',
  'Content-Transfer-Encoding: base64',
  '',
  image.toString('base64'),
  '--b--',
  '',
]

describe.each(['labels', 'folder'] as const)('commands with placement %s', (placement) => {
  let mailbox: ApiMailbox
  beforeAll(async () => {
    mailbox = await world.registerApi(placement, { maxListPage: 4 })
    await world.connected(mailbox.account)
  })
  beforeEach(() => {
    for (const id of mailbox.model.store.messages.keys()) mailbox.model.remove(id)
  })

  const ask = <C extends Command>(command: C, request: Omit<CommandRequest<C>, 'account'>) =>
    world.ask(command, mailbox.account, request)
  const deliver = (subject = 'm', further: string[] = []) =>
    mailbox.model.deliver(mime(subject, further)).id
  const stream = async <C extends Command>(
    command: C,
    request: Omit<CommandRequest<C>, 'account'>,
  ) => {
    const { account } = mailbox
    const full = { account, ...request } as CommandRequest<C>
    const options = { key: `shard.${shardOf(account)}`, timeoutMs: 30_000 }
    const { response, body } = await world.bus.requestStream(command, full, options)
    return { response, content: Buffer.concat(await Array.fromAsync(body)) }
  }
  const expectEvent = (event: string, id: string) =>
    eventually(async () => {
      const events = await world.events(mailbox.account, event)
      expect(events.map(({ data }) => data['id'])).toContain(id)
    })
  const inbox = () => mailbox.model.folder('\\Inbox').path.join('/')
  const isIn = (id: string, use: string) => {
    const { labels, folderId } = mailbox.model.message(id)
    const folder = mailbox.model.folder(use).id
    return placement === 'labels' ? labels.has(folder) : folderId === folder
  }

  test('listMailboxes: folders with ids, special uses and requested counters', async () => {
    deliver()
    const { mailboxes } = await ask(listMailboxes, { counters: true })
    const listed = mailboxes.find(({ specialUse }) => specialUse === '\\Inbox')
    expect(listed).toMatchObject({
      id: mailbox.model.folder('\\Inbox').id,
      path: inbox(),
      delimiter: '/',
      status: { messages: 1, unseen: 1 },
      messages: false,
    })
    const all = mailboxes.some(({ specialUse }) => specialUse === '\\All')
    expect(all).toBe(placement === 'labels')
  })

  test('createMailbox, updateMailbox, deleteMailbox: levels above are created', async () => {
    const name = randomUUID()
    const created = await ask(createMailbox, { path: [name, 'below'] })
    expect(created).toMatchObject({ path: `${name}/below`, created: true })
    await expect(ask(createMailbox, { path: `${name}/below` })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'ALREADYEXISTS',
    })
    const renamed = await ask(updateMailbox, { path: `${name}/below`, newPath: `${name}-2` })
    expect(renamed).toEqual({
      path: `${name}/below`,
      newPath: `${name}-2`,
      mailboxId: created.mailboxId,
      renamed: true,
    })
    await expect(
      ask(updateMailbox, { path: `${name}-2`, subscribed: false }),
    ).rejects.toMatchObject({ kind: 'invalid', code: 'UnsupportedOperation' })
    const { mailboxId } = created
    expect(await ask(deleteMailbox, { path: `${name}-2` })).toEqual({
      path: `${name}-2`,
      mailboxId,
      deleted: true,
    })
    await expect(ask(deleteMailbox, { path: `${name}-2` })).rejects.toMatchObject({
      kind: 'not-found',
      code: 'FolderNotFound',
    })
  })

  test.each(['inbox', '\\Inbox', '\\All', 'the path'])(
    'listMessages: pages of %s',
    async (path) => {
      const ids = Array.from({ length: 6 }, (_, at) => deliver(`m ${at}`)).reverse()
      const request = { path: path === 'the path' ? inbox() : path, page: 0, pageSize: 4 }
      const first = await ask(listMessages, request)
      expect(first).toMatchObject({ total: 6, page: 0, pages: 2, prevPageCursor: null })
      expect(first.nextPageCursor).toMatch(placement === 'labels' ? /^gmail_/ : /^outlook_/)
      expect(first.messages[0]).toMatchObject({
        id: ids[0],
        emailId: ids[0],
        path: placement === 'labels' ? '\\All' : inbox(),
        subject: 'm 5',
        unseen: true,
        flags: [],
        messageSpecialUse: '\\Inbox',
        from: { name: 'Ann', address: 'ann@example.com' },
      })
      expect(first.messages[0]).not.toHaveProperty('uid')
      const text = first.messages[0]?.text?.id ?? ''
      expect(await ask(getText, { text, textType: 'plain' })).toEqual({
        plain: 'Hello',
        hasMore: false,
      })
      const cursor = first.nextPageCursor ?? ''
      const second = await ask(listMessages, { ...request, cursor })
      expect(second).toMatchObject({ page: 1, pages: 2, nextPageCursor: null })
      expect([...first.messages, ...second.messages].map(({ id }) => id)).toEqual(ids)
      const back = await ask(listMessages, { ...request, cursor: second.prevPageCursor ?? '' })
      expect(back.messages).toEqual(first.messages)
    },
  )

  test('listMessages: invalid pages, cursors and paths', async () => {
    for (let at = 0; at < 5; at++) deliver()
    const request = { path: inbox(), page: 0, pageSize: 4 }
    const { nextPageCursor: cursor } = await ask(listMessages, request)
    const rejected = (over: object) => ask(listMessages, { ...request, ...over })
    await expect(rejected({ page: 1 })).rejects.toMatchObject({ code: 'InvalidInput' })
    await expect(rejected({ cursor: 'imap_e30' })).rejects.toMatchObject({
      code: 'InvalidCursorType',
    })
    await expect(rejected({ path: '\\Sent', cursor })).rejects.toMatchObject({
      code: 'InvalidCursorValue',
    })
    await expect(rejected({ path: 'none' })).rejects.toMatchObject({ code: 'FolderNotFound' })
    const other = await world.registerApi(placement)
    await world.connected(other.account)
    await expect(
      world.ask(listMessages, other.account, { ...request, cursor: cursor ?? '' }),
    ).rejects.toMatchObject({ code: 'InvalidCursorValue' })
  })

  test('searchMessages: in a folder or in all, by flags and labels', async () => {
    const [old, wanted] = [deliver('old'), deliver('wanted')]
    mailbox.model.change(old, { unseen: false })
    const search = async (terms: CommandRequest<typeof searchMessages>['search'], path?: string) =>
      (await ask(searchMessages, { ...paging, search: terms, ...(path && { path }) })).messages.map(
        ({ id }) => id,
      )
    expect(await search({ unseen: true }, inbox())).toEqual([wanted])
    expect(await search({ subject: 'wanted' })).toEqual([wanted])
    expect(await search({ emailIds: [old] })).toEqual([old])
    const label = placement === 'labels' ? inbox() : 'red'
    if (placement === 'folder') mailbox.model.change(old, { addLabels: ['red'] })
    expect(await search({ labels: { has: [label] } })).toContain(old)
    await expect(search({ larger: 5 })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'UnsupportedSearchTerm',
    })
  })

  test('getMessage: headers, texts and attachments; markAsSeen', async () => {
    const id = deliver('with image', related)
    const request = { message: id, webSafeHtml: true, markAsSeen: true }
    const detail = await ask(getMessage, request)
    expect(detail).toMatchObject({
      id,
      subject: 'with image',
      flags: ['\\Seen'],
      headers: { subject: ['with image'] },
      attachments: [
        {
          contentType: 'image/png',
          embedded: true,
          filename: 'logo.png',
          contentId: '<logo>',
        },
      ],
    })
    expect(detail.text?.html).toContain(`data:image/png;base64,${image.toString('base64')}`)
    expect(detail.text?.html).not.toContain('onclick')
    const [attachment] = detail.attachments ?? []
    const file = await stream(getAttachment, { attachment: attachment?.id ?? '' })
    expect(file).toMatchObject({
      response: { contentType: 'image/png', filename: 'logo.png' },
      content: image,
    })
    const text = await ask(getText, { text: detail.text?.id ?? '', textType: 'html' })
    expect(text).toEqual({ html: expect.stringContaining('onclick'), hasMore: false })
    const cut = await ask(getText, { text: detail.text?.id ?? '', textType: '*', maxBytes: 3 })
    expect(cut).toEqual({ html: '<p ', hasMore: true })
    const source = await stream(getMessageSource, { message: id })
    expect(source.content.toString()).toContain('Subject: with image')
  })

  test('getDraftVersion: marker of the draft, absent where the id shows changes', async () => {
    const { messageId: message, version } = mailbox.model.sending.deposit(Buffer.from(mime('d')))
    expect(version === undefined).toBe(placement === 'labels')
    expect(await ask(getDraftVersion, { message })).toEqual({ version })
  })

  test('ids of another form are InvalidId without a request, missing ones MessageNotFound', async () => {
    const { calls } = mailbox.model.api
    const before = calls.get('getMessage')
    await expect(ask(getMessage, { message: 'ü' })).rejects.toMatchObject({ code: 'InvalidId' })
    await expect(ask(getText, { text: 'AAAA', textType: '*' })).rejects.toMatchObject({
      code: 'InvalidId',
    })
    await expect(stream(getAttachment, { attachment: 'AAAA' })).rejects.toMatchObject({
      code: 'InvalidId',
    })
    expect(calls.get('getMessage')).toBe(before)
    const missing = 'a-b_c='.repeat(33)
    const text = encodeApiTextId(missing)
    const attachment = encodeApiAttachmentId({ id: missing, partId: '1' })
    const update = { flags: { add: ['\\Seen'] } }
    for (const request of [
      () => ask(getMessage, { message: missing }),
      () => ask(getText, { text, textType: '*' }),
      () => stream(getAttachment, { attachment }),
      () => stream(getMessageSource, { message: missing }),
      () => ask(updateMessage, { message: missing, update }),
      () => ask(moveMessage, { message: missing, path: '\\Trash' }),
      () => ask(deleteMessage, { message: missing, force: false }),
    ])
      await expect(request()).rejects.toMatchObject({ kind: 'not-found', code: 'MessageNotFound' })
  })

  test('updateMessage: flags and labels, then the event', async () => {
    const id = deliver()
    await expectEvent('messageNew', id)
    const update = { flags: { add: ['\\Seen', '\\Flagged'] } }
    const { flags } = await ask(updateMessage, { message: id, update })
    expect([flags?.add, flags?.result?.toSorted()]).toEqual([true, ['\\Flagged', '\\Seen']])
    expect(mailbox.model.message(id).flags).toMatchObject({ unseen: false, flagged: true })
    await expectEvent('messageUpdated', id)
    await ask(updateMessage, { message: id, update: { flags: { set: ['\\Flagged'] } } })
    expect(mailbox.model.message(id).flags).toMatchObject({ unseen: true, flagged: true })
    const refused = ask(updateMessage, { message: id, update: { flags: { add: ['\\Answered'] } } })
    await expect(refused).rejects.toMatchObject({ kind: 'invalid', code: 'UnsupportedOperation' })
    const path = randomUUID()
    await ask(createMailbox, { path })
    const labelled = await ask(updateMessage, { message: id, update: { labels: { add: [path] } } })
    expect(labelled).toMatchObject({ flags: { result: ['\\Flagged'] }, labels: { add: true } })
    expect(labelled.labels?.result).toContain(path)
    const { messages } = await ask(listMessages, { path: '\\All', ...paging })
    expect(messages.find((message) => message.id === id)?.labels).toContain(path)
    const setting = ask(updateMessage, { message: id, update: { labels: { set: [path] } } })
    if (placement === 'folder') expect(await setting).toMatchObject({ labels: { result: [path] } })
    else await expect(setting).rejects.toMatchObject({ code: 'UnsupportedOperation' })
  })

  test('moveMessage: leaves the source, or the inbox', async () => {
    const path = randomUUID()
    const { mailboxId = '' } = await ask(createMailbox, { path })
    const ids = [deliver(), deliver()] as const
    await ask(moveMessage, { message: ids[0], path, source: inbox() })
    expect(await ask(moveMessage, { message: ids[1], path })).toEqual({ path, id: ids[1] })
    for (const id of ids) {
      expect(isIn(id, '\\Inbox')).toBe(false)
      const { labels, folderId } = mailbox.model.message(id)
      expect(placement === 'labels' ? labels.has(mailboxId) : folderId === mailboxId).toBe(true)
    }
    const archived = deliver()
    const archiving = ask(moveMessage, { message: archived, path: '\\Archive' })
    if (placement === 'labels') {
      expect(await archiving).toEqual({ path: '\\All', id: archived })
      expect(mailbox.model.message(archived).labels.size).toBe(0)
    } else await expect(archiving).rejects.toMatchObject({ code: 'FolderNotFound' })
    await expect(ask(moveMessage, { message: ids[0], path: 'none' })).rejects.toMatchObject({
      code: 'FolderNotFound',
    })
  })

  test('deleteMessage: to the trash, then permanently if the grant permits it', async () => {
    const id = deliver()
    const trash = mailbox.model.folder('\\Trash').path.join('/')
    const moved = { deleted: false, moved: { destination: trash, message: id } }
    expect(await ask(deleteMessage, { message: id, force: false })).toEqual(moved)
    expect(isIn(id, '\\Trash')).toBe(true)
    const repeated = await ask(deleteMessage, { message: id, force: false })
    const removes = placement === 'folder'
    expect(repeated).toEqual(removes ? { deleted: true } : moved)
    expect(mailbox.model.store.messages.has(id)).toBe(!removes)
  })

  test('bulk changes: update, move and delete all matches of several pages', async () => {
    const ids = Array.from({ length: 9 }, () => deliver('bulk'))
    const other = deliver('other')
    const search = { subject: 'bulk', unseen: true }
    const scope = { path: inbox(), search }
    const updated = await ask(updateMessages, { ...scope, update: { flags: { add: ['\\Seen'] } } })
    expect(updated).toEqual({ flags: { add: true }, emailIds: ids.toReversed() })
    expect(await ask(updateMessages, { ...scope, update: { flags: { add: ['\\Seen'] } } })).toEqual(
      { flags: { add: false }, emailIds: [] },
    )
    const path = randomUUID()
    await ask(createMailbox, { path })
    const bulk = { subject: 'bulk' }
    const moved = await ask(moveMessages, { path: inbox(), search: bulk, destination: path })
    expect(moved.path).toBe(path)
    expect(moved.idMap).toEqual(ids.toReversed().map((id) => [id, id]))
    const deleted = await ask(deleteMessages, { path, search: bulk, force: true })
    if (placement === 'folder')
      expect(deleted).toEqual({ deleted: true, deletedMessages: { emailIds: ids.toReversed() } })
    else expect(deleted).toMatchObject({ deleted: false, moved: { emailIds: ids.toReversed() } })
    expect(isIn(other, '\\Inbox')).toBe(true)
    expect(await ask(getQuota, {})).toEqual({ quota: false })
  })

  test('listSignatures: those that the provider stores', async () => {
    const none = { signatures: [], signaturesSupported: false }
    expect(await ask(listSignatures, {})).toEqual(none)
    const signatures = [{ address: 'jane@mail.example', signature: '<b>Jane</b>' }]
    Object.assign(mailbox.model.api, { signatures: async () => signatures })
    expect(await ask(listSignatures, {})).toEqual({ signatures, signaturesSupported: true })
  })

  test('uploadMessage: stores the message once, with its flags', async () => {
    const upload = randomUUID()
    const content = Buffer.from(mime('uploaded'))
    const { account } = mailbox
    await world.db.insertInto('uploads').values({ id: upload, account, mime: content }).execute()
    const flags = placement === 'labels' ? ['\\Seen', '\\Flagged'] : ['\\Seen', '\\Draft']
    const path = placement === 'labels' ? '\\Inbox' : '\\Drafts'
    const request = { upload, size: content.length, path, flags }
    const { id = '' } = await ask(uploadMessage, request)
    expect(mailbox.model.message(id).flags).toMatchObject({ unseen: false })
    await expect(ask(uploadMessage, request)).rejects.toMatchObject({
      code: 'WorkerNotAvailable',
    })
  })

  test('findSent and fileSent: the provider stores the copy, the draft is removed', async () => {
    const { model } = mailbox
    const sent = model.deliver(mime('sent'), { folderId: model.folder('\\Sent').id })
    const messageId = sent.content.header('message-id') ?? ''
    expect(Object.values(await ask(findSent, { messageId }))).toEqual([true])
    const none = { messageId: '<none@example.com>' }
    expect(Object.values(await ask(findSent, none))).toEqual([false])
    const signal = new AbortController().signal
    const draft = await model.api.depositDraft(Buffer.from(mime('draft')), {}, signal)
    const filing = { queueId: 'q', messageId, copy: true, draft: draft.messageId }
    expect(await ask(fileSent, filing)).toEqual({ skipped: [] })
    expect(model.store.messages.has(draft.messageId)).toBe(false)
  })
})
