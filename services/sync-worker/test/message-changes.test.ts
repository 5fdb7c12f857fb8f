import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ImapBackend } from '@posthorn/backends'
import { createMailbox } from '@posthorn/contracts/commands/mailboxes'
import { syncAccount } from '@posthorn/contracts/commands/maintenance'
import {
  deleteMessage,
  deleteMessages,
  moveMessage,
  moveMessages,
  updateMessage,
  updateMessages,
} from '@posthorn/contracts/commands/message-changes'
import { getMessage, listMessages, searchMessages } from '@posthorn/contracts/commands/messages'
import type { Search } from '@posthorn/contracts/schemas/search'
import { encodeMessageId } from '@posthorn/message-id'
import { eventually } from '@posthorn/testkit'
import { altered } from './altered.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

const idleAlone = altered(({ capabilities }) => ({
  capabilities: { ...capabilities, notify: false, condstore: false, qresync: false },
}))

describe.each([
  ['a server with NOTIFY', {}],
  ['a server with IDLE only', { backend: idleAlone }],
])('%s', (_name, parts: { backend?: ImapBackend }) => {
  let world: World
  let account: string
  let client: ImapClient
  beforeAll(async () => {
    world = await testWorld()
    // The mailboxes are polled once an hour only, so no poll runs during the tests.
    await world.startWorker({ mailboxPollMs: 3_600_000 }, parts)
    const user = world.dovecot.freshUser()
    client = await ImapClient.login(user)
    account = await world.register(user, { imap: { resyncDelay: 3_600 } })
    await world.connected(account)
  })

  test('requests without a path or with a source, which are for mail APIs, are rejected', async () => {
    const message = encodeMessageId({ mailbox: 1, uid: 1 })
    const moving = world.ask(moveMessage, account, { message, path: 'A', source: 'INBOX' })
    await expect(moving).rejects.toMatchObject({ extras: { fields: [{ path: 'source' }] } })
    const request = { page: 0, pageSize: 20, search: {} }
    const searching = world.ask(searchMessages, account, request)
    await expect(searching).rejects.toMatchObject({ extras: { fields: [{ path: 'path' }] } })
  })
  afterAll(async () => {
    await client[Symbol.asyncDispose]()
    await world.close()
  })

  const list = async (path: string) =>
    (await world.ask(listMessages, account, { path, page: 0, pageSize: 100 })).messages
  /**
   * Creates a mailbox with announced messages of these subjects. Returns the ids of the messages,
   * oldest first.
   */
  const folder = async (path: string, subjects: string[]): Promise<string[]> => {
    await world.ask(createMailbox, account, { path })
    for (const subject of subjects) await client.append(path, mail({ subject }))
    await world.ask(syncAccount, account, {})
    return eventually(async () => {
      const events = await world.events(account, 'messageNew', 'mailboxNew')
      const here = events.filter((event) => event.path === path)
      expect(here).toHaveLength(subjects.length + 1)
      return here.slice(1).map(({ data }) => String(data['id']))
    })
  }
  const flagsOf = async (message: string) =>
    (await world.ask(getMessage, account, { message })).flags
  const eventsOf = (event: string, id: string) =>
    eventually(async () => {
      const events = await world.events(account, event)
      const about = events.filter(({ data }) => data['id'] === id)
      expect(about.length).toBeGreaterThan(0)
      return about.map(({ data }) => data)
    })
  const notFound = { kind: 'not-found', code: 'MessageNotFound' }
  const read = (message: string) => world.ask(getMessage, account, { message })

  test('updateMessage: adds, removes and replaces flags, with one event per change', async () => {
    const [id = ''] = await folder('Flags', ['one'])
    const update = (flags: object) =>
      world.ask(updateMessage, account, { message: id, update: { flags } })
    expect(await update({ add: ['\\Seen', '$Todo'], delete: ['\\Flagged'] })).toEqual({
      flags: { add: true, delete: true, result: ['$Todo', '\\Seen'] },
    })
    expect(await flagsOf(id)).toEqual(['$Todo', '\\Seen'])
    expect(await eventsOf('messageUpdated', id)).toEqual([
      expect.objectContaining({
        changes: { flags: { added: ['$Todo', '\\Seen'], removed: [], value: ['$Todo', '\\Seen'] } },
      }),
    ])
    expect(await update({ set: ['\\Answered'] })).toEqual({
      flags: { set: true, result: ['\\Answered'] },
    })
    expect(await flagsOf(id)).toEqual(['\\Answered'])
    expect(await update({ set: [] })).toEqual({ flags: { set: true, result: [] } })
    expect(await flagsOf(id)).toEqual([])
  })

  test('updateMessage: labels without server support, changes nothing', async () => {
    const [id = ''] = await folder('Labels', ['one'])
    const update = { flags: { add: ['\\Seen'] }, labels: { add: ['x'] } }
    const missing = { kind: 'unprocessable', code: 'MissingServerExtension' }
    await expect(world.ask(updateMessage, account, { message: id, update })).rejects.toMatchObject(
      missing,
    )
    await expect(
      world.ask(updateMessages, account, { path: 'Labels', search: {}, update }),
    ).rejects.toMatchObject(missing)
    expect(await flagsOf(id)).toEqual([])
  })

  test('moveMessage: returns the new id, the old one is not found', async () => {
    const [id = ''] = await folder('From', ['moved'])
    await folder('To', [])
    const moved = await world.ask(moveMessage, account, { message: id, path: 'To' })
    expect(moved).toMatchObject({ path: 'To', uid: 1, id: expect.any(String) })
    expect(await read(moved.id ?? '')).toMatchObject({ subject: 'moved', path: 'To' })
    await expect(read(id)).rejects.toMatchObject(notFound)
    await eventsOf('messageDeleted', id)
    expect(await eventsOf('messageNew', moved.id ?? '')).toHaveLength(1)
    const again = world.ask(moveMessage, account, { message: id, path: 'To' })
    await expect(again).rejects.toMatchObject(notFound)
  })

  test('moveMessage: missing destination or message, is not found', async () => {
    const [id = ''] = await folder('Stays', ['here'])
    await expect(
      world.ask(moveMessage, account, { message: id, path: 'Nowhere' }),
    ).rejects.toMatchObject({ kind: 'not-found', code: 'FolderNotFound' })
    expect(await read(id)).toMatchObject({ subject: 'here' })
  })

  test('deleteMessage: moves to the trash, deletes permanently from there or with force', async () => {
    const [first = '', second = ''] = await folder('Doomed', ['first', 'second'])
    const remove = (message: string, force = false) =>
      world.ask(deleteMessage, account, { message, force })
    const trashed = await remove(first)
    expect(trashed).toEqual({
      deleted: false,
      moved: { destination: 'Trash', message: expect.any(String) },
    })
    const id = trashed.moved?.message ?? ''
    expect(await read(id)).toMatchObject({ subject: 'first', specialUse: '\\Trash' })
    expect(await remove(id)).toEqual({ deleted: true })
    await expect(read(id)).rejects.toMatchObject(notFound)
    expect(await remove(second, true)).toEqual({ deleted: true })
    await expect(read(second)).rejects.toMatchObject(notFound)
    await eventsOf('messageDeleted', second)
    await expect(remove(second)).rejects.toMatchObject(notFound)
    const nothing = encodeMessageId({ mailbox: 4_000, uid: 1 })
    await expect(remove(nothing)).rejects.toMatchObject(notFound)
  })

  test('updateMessages: changes only matching messages', async () => {
    const ids = await folder('Found', ['yes 1', 'no 1', 'yes 2', 'no 2'])
    const find = (search: Search, update: object) =>
      world.ask(updateMessages, account, { path: 'Found', search, update })
    expect(await find({ subject: 'yes' }, { flags: { add: ['\\Flagged'] } })).toEqual({
      flags: { add: true },
    })
    const flagged = (await list('Found')).filter((message) => message.flagged)
    expect(flagged.map(({ subject }) => subject)).toEqual(['yes 2', 'yes 1'])
    for (const id of [ids[0] ?? '', ids[2] ?? ''])
      expect(await eventsOf('messageUpdated', id)).toHaveLength(1)
    expect(await find({ subject: 'neither' }, { flags: { set: [] } })).toEqual({
      flags: { set: false },
    })
  })

  test('moveMessages: moves matching messages and returns new ids', async () => {
    const ids = await folder('Many', ['a', 'b', 'c'])
    await folder('Others', [])
    const move = (search: Search) =>
      world.ask(moveMessages, account, { path: 'Many', search, destination: 'Others' })
    const { path, idMap = [] } = await move({ uid: '1,3' })
    expect(path).toBe('Others')
    expect(idMap.map(([before]) => before)).toEqual([ids[0], ids[2]])
    const subjects = await Promise.all(idMap.map(async ([, now]) => (await read(now)).subject))
    expect(subjects).toEqual(['a', 'c'])
    expect((await list('Many')).map(({ id }) => id)).toEqual([ids[1]])
    expect(await move({ subject: 'nothing' })).toEqual({ path: 'Others', idMap: [] })
  })

  test('deleteMessages: moves matches to the trash, then deletes them permanently', async () => {
    await folder('Old', ['old 1', 'old 2', 'new'])
    const remove = (path: string, search: Search, force = false) =>
      world.ask(deleteMessages, account, { path, search, force })
    const { deleted, moved } = await remove('Old', { subject: 'old' })
    expect(deleted).toBe(false)
    expect(moved).toMatchObject({ destination: 'Trash' })
    expect(moved?.idMap).toHaveLength(2)
    const [, now = ''] = moved?.idMap?.[0] ?? []
    expect(await read(now)).toMatchObject({ subject: 'old 1' })
    expect(await remove('\\Trash', { subject: 'old' })).toEqual({ deleted: true })
    expect(await remove('\\Trash', { subject: 'old' })).toEqual({ deleted: false })
    expect(await remove('Old', {}, true)).toEqual({ deleted: true })
    expect(await list('Old')).toEqual([])
  })
})
