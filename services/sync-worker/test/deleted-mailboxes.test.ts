import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { ListedMailbox, MailSession } from '@posthorn/backends'
import { syncAccount } from '@posthorn/contracts'
import { altered } from './altered.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// Deletions by other clients, which servers announce late or not at all.

let world: World
beforeAll(async () => {
  world = await testWorld()
})
afterEach(() => world.reset())
afterAll(() => world.close())

/** No sync pass during a test. */
const rarely = { resyncDelay: 3_600 }
const never = { mailboxPollMs: 600_000 }

const withoutNotify = (session: MailSession) => ({
  capabilities: { ...session.capabilities, notify: false },
})

function withoutStatus(mailbox: ListedMailbox): ListedMailbox {
  const listed = { ...mailbox }
  delete listed.status
  return listed
}

/**
 * Sessions whose list stays as it was first, with counters of mailboxes that exist. Dovecot 2.3
 * does this on some connections with NOTIFY.
 */
const withOldLists = (session: MailSession): Partial<MailSession> => {
  let first: ListedMailbox[] | undefined
  return {
    async listMailboxes(options) {
      const current = await session.listMailboxes(options)
      first ??= current
      const missing = first.filter((old) => !current.some(({ path }) => path === old.path))
      return [...current, ...missing.map(withoutStatus)]
    },
  }
}

async function accountWithMailbox() {
  const user = world.dovecot.freshUser()
  const client = await ImapClient.login(user)
  await client.run('CREATE Gone')
  const account = await world.register(user, { imap: rarely })
  await world.connected(account)
  return { user: user.user, client, account }
}

test.each([
  ['a server with NOTIFY', () => ({})],
  ['a server without NOTIFY', withoutNotify],
  ['outdated lists', withOldLists],
])('mailboxDeleted: with %s, follows the next notification', async (_, alter) => {
  await world.startWorker(never, { backend: altered(alter) })
  const { user, client, account } = await accountWithMailbox()
  await using _client = client
  await client.deleteMailbox('Gone')
  await world.dovecot.deliver(user, mail())
  const [deleted] = await world.expectEvents(account, ['mailboxDeleted'], 1)
  expect(deleted?.data).toEqual({ path: 'Gone', name: 'Gone', specialUse: false })
  // An outdated list does not bring the mailbox back.
  await world.dovecot.deliver(user, mail())
  await world.expectEvents(account, ['messageNew'], 2)
  await world.ask(syncAccount, account, {})
  expect(await world.events(account, 'mailboxDeleted')).toHaveLength(1)
})

test.each([
  ['a server without NOTIFY', withoutNotify],
  ['outdated lists', withOldLists],
])('mailboxDeleted: with %s, follows a sync request', async (_, alter) => {
  // Watches report nothing: the request alone leads to the deletion.
  const silent = altered((session) => ({
    ...alter(session),
    watch: (_notice, signal, options) => session.watch(() => {}, signal, options),
  }))
  await world.startWorker(never, { backend: silent })
  const { client, account } = await accountWithMailbox()
  await using _client = client
  await client.deleteMailbox('Gone')
  await world.ask(syncAccount, account, {})
  const [deleted] = await world.expectEvents(account, ['mailboxDeleted'], 1)
  expect(deleted?.path).toBe('Gone')
})

test('mailboxDeleted: without notification and request, follows a list check', async () => {
  const silent = altered((session) => ({
    watch: (_notice, signal, options) => session.watch(() => {}, signal, options),
  }))
  // List checks run every 20 intervals: after four minutes by default.
  await world.startWorker({ mailboxPollMs: 100 }, { backend: silent })
  const { client, account } = await accountWithMailbox()
  await using _client = client
  await client.deleteMailbox('Gone')
  const [deleted] = await world.expectEvents(account, ['mailboxDeleted'], 1)
  expect(deleted?.path).toBe('Gone')
})

test('mailboxDeleted: a mailbox that lists omit while STATUS succeeds, is not deleted', async () => {
  let listings = 0
  const omitting = altered((session) => ({
    async listMailboxes(options) {
      listings++
      const listed = await session.listMailboxes(options)
      return listings > 2 ? listed.filter(({ path }) => path !== 'Gone') : listed
    },
  }))
  await world.startWorker({ mailboxPollMs: 100 }, { backend: omitting })
  const { user, client, account } = await accountWithMailbox()
  await using _client = client
  await world.dovecot.deliver(user, mail())
  await world.expectEvents(account, ['messageNew'], 1)
  await world.ask(syncAccount, account, {})
  await client.deleteMailbox('Gone')
  // Only the real deletion is announced.
  expect(await world.expectEvents(account, ['mailboxDeleted'], 1)).toHaveLength(1)
})
