import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { MailBackend } from '@posthorn/backends'
import {
  createMailbox,
  deleteMailbox,
  listMailboxes,
  listMessages,
  updateMailbox,
} from '@posthorn/contracts'
import { altered } from './altered.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

const idleAlone = altered(({ capabilities }) => ({
  capabilities: { ...capabilities, notify: false },
}))

describe.each([
  ['a server that tells of every folder', {}],
  ['a server that tells of one folder', { backend: idleAlone }],
])('%s', (_name, parts: { backend?: MailBackend }) => {
  let world: World
  let account: string
  let client: ImapClient
  beforeAll(async () => {
    world = await testWorld()
    // Nothing is looked at in its turn while a test runs.
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
  /** Events of a kind about a folder, once there are so many. */
  const told = async (event: string, path: string) => {
    const all = await world.expectEvents(account, [event], 1)
    const about = all.filter((one) => one.path === path)
    if (about.length > 0) return about
    await world.expectEvents(account, [event], all.length + 1)
    return told(event, path)
  }

  test('a folder that was created is listed at once, subscribed to, and told of', async () => {
    expect(await create(['Work', 'Täglich'])).toMatchObject({ path: 'Work/Täglich', created: true })
    expect((await listed()).get('Work/Täglich')).toMatchObject({ subscribed: true, listed: true })
    const events = await told('mailboxNew', 'Work/Täglich')
    expect(events).toHaveLength(1)
    const { messages } = await world.ask(listMessages, account, {
      path: 'Work/Täglich',
      page: 0,
      pageSize: 1,
    })
    expect(messages).toEqual([])
  })

  test('one that is there already is refused with the code of the server', async () => {
    await create('Twice')
    await expect(create('Twice')).rejects.toMatchObject({
      kind: 'rejected',
      code: 'ALREADYEXISTS',
      extras: { info: { response: expect.stringContaining('exists') } },
    })
  })

  test('what cannot be a name is a field that does not do', async () => {
    await expect(create('/')).rejects.toMatchObject({
      kind: 'invalid',
      extras: { fields: [{ path: 'path' }] },
    })
  })

  test('a renamed folder takes its messages, their ids and what is below it along', async () => {
    await create('Old/Below')
    await client.append('Old/Below', mail({ subject: 'kept' }))
    await told('mailboxNew', 'Old/Below')
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
    expect(await told('mailboxDeleted', 'Old/Below')).toHaveLength(1)
    expect(await told('mailboxNew', 'New/Below')).toHaveLength(1)
  })

  test('a rename to what is there is refused', async () => {
    await create('One')
    await create('Two')
    await expect(update('One', { newPath: 'Two' })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'ALREADYEXISTS',
    })
  })

  test('a subscription comes and goes', async () => {
    await create('News')
    expect(await update('News', { subscribed: false })).toMatchObject({ subscribed: false })
    expect((await listed()).get('News')?.subscribed).toBe(false)
    const moved = await update('News', { newPath: 'Papers', subscribed: true })
    expect(moved).toMatchObject({ newPath: 'Papers', renamed: true, subscribed: true })
    expect((await listed()).get('Papers')?.subscribed).toBe(true)
  })

  test('a deleted folder is not listed any more, and told of once', async () => {
    await create('Gone')
    await told('mailboxNew', 'Gone')
    expect(await remove('Gone')).toMatchObject({ path: 'Gone', deleted: true })
    expect((await listed()).has('Gone')).toBe(false)
    expect(await told('mailboxDeleted', 'Gone')).toHaveLength(1)
    // As the server says it, with its code.
    const missing = {
      kind: 'rejected',
      code: 'NONEXISTENT',
      extras: { info: { response: expect.stringContaining('exist') } },
    }
    await expect(remove('Gone')).rejects.toMatchObject(missing)
    await expect(update('Gone', { newPath: 'Back' })).rejects.toMatchObject(missing)
  })

  test('the inbox cannot be deleted', async () => {
    await expect(remove('inbox')).rejects.toMatchObject({ kind: 'rejected', code: 'CANNOT' })
  })

  test('a folder that somebody else made a moment ago is found', async () => {
    await client.run('CREATE Theirs')
    expect(await remove('Theirs')).toMatchObject({ deleted: true })
    await expect(update('Nowhere', { subscribed: true })).rejects.toMatchObject({
      kind: 'not-found',
      code: 'FolderNotFound',
    })
  })

  test('many at once are all done, and listed', async () => {
    const paths = Array.from({ length: 12 }, (_, n) => `Many${n}`)
    await Promise.all(paths.map((path) => create(path)))
    const mailboxes = await listed()
    expect(paths.filter((path) => !mailboxes.has(path))).toEqual([])
    // One that is gone before its first sync is told of by nothing.
    for (const path of paths) await told('mailboxNew', path)
    await Promise.all(paths.map((path) => remove(path)))
    expect([...(await listed()).keys()].filter((path) => path.startsWith('Many'))).toEqual([])
    for (const path of paths) expect(await told('mailboxDeleted', path)).toHaveLength(1)
  })
})
