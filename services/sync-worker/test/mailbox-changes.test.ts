import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ImapBackend } from '@posthorn/backends'
import {
  createMailbox,
  deleteMailbox,
  listMailboxes,
  updateMailbox,
} from '@posthorn/contracts/commands/mailboxes'
import { listMessages } from '@posthorn/contracts/commands/messages'
import { eventually, startImapScript } from '@posthorn/testkit'
import { altered } from './altered.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

test.each<[string, (world: World, account: string) => Promise<unknown>]>([
  [
    'renamed',
    (world, account) => world.ask(updateMailbox, account, { path: 'Box', newPath: 'New' }),
  ],
  ['deleted', (world, account) => world.ask(deleteMailbox, account, { path: 'Box' })],
])(
  'a mailbox is %s and the server ends the other connection: messages can be read, without a delay',
  async (_name, change) => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startImapScript({ mailboxes: { Box: {} } }))
    const world = stack.adopt(await testWorld(), (each) => each.close())
    await world.startWorker({ reconnectMinMs: 3_600_000, reconnectMaxMs: 3_600_000 })
    const { host, port } = server
    const user = { ...world.dovecot.freshUser(), pass: 'secret', host, imapPort: port }
    const account = await world.register(user)
    await world.connected(account)
    const [main] = server.sessions
    const endsMain: Parameters<typeof server.on>[1] = async ({ defaultReply }) => {
      const lines = await defaultReply()
      main?.close()
      return lines
    }
    for (const name of ['RENAME', 'DELETE']) server.on(name, endsMain)
    await change(world, account)
    await eventually(() => expect(main?.ended).toBe(true))
    const request = { path: 'INBOX', page: 0, pageSize: 1 }
    expect(await world.ask(listMessages, account, request)).toMatchObject({ total: 0 })
    // The announcement of a new message shows that the account has a new IMAP connection.
    server.mailbox('INBOX').append(mail({ subject: 'later' }))
    await world.expectEvents(account, ['messageNew'], 1)
    await world.connected(account)
  },
)

const idleAlone = altered(({ capabilities }) => ({
  capabilities: { ...capabilities, notify: false },
}))

describe.each([
  ['a server with NOTIFY', true, {}],
  ['a server without NOTIFY', false, { backend: idleAlone }],
])('%s', (_name, notifies, parts: { backend?: ImapBackend }) => {
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
  afterAll(async () => {
    await client[Symbol.asyncDispose]()
    await world.close()
  })

  const listed = async () => {
    const { mailboxes } = await world.ask(listMailboxes, account, { counters: false })
    return new Map(mailboxes.map((mailbox) => [mailbox.path, mailbox]))
  }
  const create = (path: string | string[]) => world.ask(createMailbox, account, { path })
  const update = (path: string, change: { newPath?: string; subscribed?: boolean }) =>
    world.ask(updateMailbox, account, { path, ...change })
  const remove = (path: string) => world.ask(deleteMailbox, account, { path })
  /**
   * Waits for an event about the mailbox with a path. Returns all events of this kind about the
   * mailbox.
   */
  const eventsOf = async (event: string, path: string) => {
    const all = await world.expectEvents(account, [event], 1)
    const about = all.filter((one) => one.path === path)
    if (about.length > 0) return about
    await world.expectEvents(account, [event], all.length + 1)
    return eventsOf(event, path)
  }

  test('createMailbox: lists and subscribes the mailbox, with one event', async () => {
    expect(await create(['Work', 'Täglich'])).toMatchObject({ path: 'Work/Täglich', created: true })
    expect((await listed()).get('Work/Täglich')).toMatchObject({ subscribed: true, listed: true })
    const events = await eventsOf('mailboxNew', 'Work/Täglich')
    expect(events).toHaveLength(1)
    const { messages } = await world.ask(listMessages, account, {
      path: 'Work/Täglich',
      page: 0,
      pageSize: 1,
    })
    expect(messages).toEqual([])
  })

  test('createMailbox: existing mailbox, is rejected with the code of the server', async () => {
    await create('Twice')
    await expect(create('Twice')).rejects.toMatchObject({
      kind: 'rejected',
      code: 'ALREADYEXISTS',
      extras: { info: { response: expect.stringContaining('exists') } },
    })
  })

  test('createMailbox: invalid name, is a validation error of the field', async () => {
    await expect(create('/')).rejects.toMatchObject({
      kind: 'invalid',
      extras: { fields: [{ path: 'path' }] },
    })
  })

  test('updateMailbox: a rename retains messages, their ids and children', async () => {
    await create('Old/Below')
    await client.append('Old/Below', mail({ subject: 'kept' }))
    await eventsOf('mailboxNew', 'Old/Below')
    // Dovecot ends a connection whose mailbox is renamed while the connection reads the mailbox.
    if (notifies) await eventsOf('messageNew', 'Old/Below')
    const ids = async (path: string) => {
      const page = await world.ask(listMessages, account, { path, page: 0, pageSize: 9 })
      return page.messages.map(({ id }) => id)
    }
    const before = await ids('Old/Below')
    expect(await update('Old', { newPath: 'New' })).toMatchObject({
      path: 'Old',
      newPath: 'New',
      renamed: true,
    })
    const mailboxes = await listed()
    expect(mailboxes.has('New/Below')).toBe(true)
    expect([...mailboxes.keys()].filter((path) => path.startsWith('Old'))).toEqual([])
    expect(before).toHaveLength(1)
    expect(await ids('New/Below')).toEqual(before)
    expect(await eventsOf('mailboxDeleted', 'Old/Below')).toHaveLength(1)
    expect(await eventsOf('mailboxNew', 'New/Below')).toHaveLength(1)
  })

  test('updateMailbox: rename to an existing mailbox, is rejected', async () => {
    await create('One')
    await create('Two')
    await expect(update('One', { newPath: 'Two' })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'ALREADYEXISTS',
    })
  })

  test('updateMailbox: changes the subscription', async () => {
    await create('News')
    expect(await update('News', { subscribed: false })).toMatchObject({ subscribed: false })
    expect((await listed()).get('News')?.subscribed).toBe(false)
    const moved = await update('News', { newPath: 'Papers', subscribed: true })
    expect(moved).toMatchObject({ newPath: 'Papers', renamed: true, subscribed: true })
    expect((await listed()).get('Papers')?.subscribed).toBe(true)
  })

  test('deleteMailbox: removes the mailbox from the list, with one event', async () => {
    await create('Gone')
    await eventsOf('mailboxNew', 'Gone')
    expect(await remove('Gone')).toMatchObject({ path: 'Gone', deleted: true })
    expect((await listed()).has('Gone')).toBe(false)
    expect(await eventsOf('mailboxDeleted', 'Gone')).toHaveLength(1)
    // Expected error if the mail server rejects a command, with the response code of the server.
    const missing = {
      kind: 'rejected',
      code: 'NONEXISTENT',
      extras: { info: { response: expect.stringContaining('exist') } },
    }
    await expect(remove('Gone')).rejects.toMatchObject(missing)
    await expect(update('Gone', { newPath: 'Back' })).rejects.toMatchObject(missing)
  })

  test('deleteMailbox: rejects INBOX', async () => {
    await expect(remove('inbox')).rejects.toMatchObject({ kind: 'rejected', code: 'CANNOT' })
  })

  test('updateMailbox: finds a mailbox that another client just created', async () => {
    await client.run('CREATE Theirs')
    expect(await remove('Theirs')).toMatchObject({ deleted: true })
    await expect(update('Nowhere', { subscribed: true })).rejects.toMatchObject({
      kind: 'not-found',
      code: 'FolderNotFound',
    })
  })

  test('createMailbox: concurrent requests are all completed and listed', async () => {
    const paths = Array.from({ length: 12 }, (_, n) => `Many${n}`)
    await Promise.all(paths.map((path) => create(path)))
    const mailboxes = await listed()
    expect(paths.filter((path) => !mailboxes.has(path))).toEqual([])
    // A mailbox deleted before its initial sync has no events.
    for (const path of paths) await eventsOf('mailboxNew', path)
    await Promise.all(paths.map((path) => remove(path)))
    expect([...(await listed()).keys()].filter((path) => path.startsWith('Many'))).toEqual([])
    for (const path of paths) expect(await eventsOf('mailboxDeleted', path)).toHaveLength(1)
  })
})
