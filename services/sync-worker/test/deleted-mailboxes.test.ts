import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { ListedMailbox, MailSession } from '@posthorn/backends'
import { syncAccount } from '@posthorn/contracts/commands/maintenance'
import { listMessages } from '@posthorn/contracts/commands/messages'
import { AppError } from '@posthorn/errors'
import { eventually, isSwitchedOff, testCyrus } from '@posthorn/testkit'
import { altered } from './altered.ts'
import { eventuallyKnown, ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// Mailboxes that other clients delete, which servers announce late or never, and similar events.

let world: World
beforeAll(async () => {
  world = await testWorld()
})
afterEach(() => world.reset())
afterAll(() => world.close())

/** IMAP settings with which no full sync pass is due during a test. */
const rarely = { resyncDelay: 3_600 }
const never = { mailboxPollMs: 600_000 }

const withoutNotify = (session: MailSession) => ({
  capabilities: { ...session.capabilities, notify: false },
})

/** Replaces the watch of a mail session by a watch that reports no notifications. */
const silent = (session: MailSession): Partial<MailSession> => ({
  watch: (_notification, signal, options) => session.watch(() => {}, signal, options),
})

/**
 * Replaces the mailbox list of a mail session by the session's first list, with current counters of
 * existing mailboxes. Dovecot 2.3 returns such lists on some connections with NOTIFY.
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

function withoutStatus(mailbox: ListedMailbox): ListedMailbox {
  const { status: _, ...rest } = mailbox
  return rest
}

/** Replaces the mailbox list of a mail session by a list from which some mailboxes are left out. */
const omitting =
  (isOmitted: (path: string) => boolean) =>
  (session: MailSession): Partial<MailSession> => ({
    async listMailboxes(options) {
      return (await session.listMailboxes(options)).filter(({ path }) => !isOmitted(path))
    },
  })

/** Alters the first connection of an account, which syncs, and no other connection. */
function firstOnly(alter: (session: MailSession) => Partial<MailSession>) {
  let connections = 0
  return (session: MailSession) => (++connections === 1 ? alter(session) : {})
}

async function accountWithMailbox(path = 'Gone') {
  const user = world.dovecot.freshUser()
  const client = await ImapClient.login(user)
  await client.run(`CREATE ${path}`)
  const account = await world.register(user, { imap: rarely })
  await world.connected(account)
  return { user: user.user, client, account }
}

/** Subjects of the messages in a mailbox. */
async function subjectsIn(account: string, path: string): Promise<unknown[]> {
  const page = await world.ask(listMessages, account, { path, page: 0, pageSize: 9 })
  return page.messages.map(({ subject }) => subject)
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
  // An outdated mailbox list does not add the deleted mailbox again.
  await world.dovecot.deliver(user, mail())
  await world.expectEvents(account, ['messageNew'], 2)
  await world.ask(syncAccount, account, {})
  expect(await world.events(account, 'mailboxDeleted')).toHaveLength(1)
})

test.each([
  ['a server with NOTIFY', () => ({})],
  ['a server without NOTIFY', withoutNotify],
  ['outdated lists', withOldLists],
])('mailboxDeleted: with %s, follows a sync request', async (_, alter) => {
  // Watches of the account report nothing, so only the sync request leads to the deletion.
  const backend = altered((session) => ({ ...alter(session), ...silent(session) }))
  await world.startWorker(never, { backend })
  const { client, account } = await accountWithMailbox()
  await using _client = client
  await client.deleteMailbox('Gone')
  await world.ask(syncAccount, account, {})
  const [deleted] = await world.expectEvents(account, ['mailboxDeleted'], 1)
  expect(deleted?.path).toBe('Gone')
})

test.each([
  ['a server without NOTIFY', withoutNotify],
  ['outdated lists', withOldLists],
])('mailboxDeleted: with %s, follows a list check without any cause', async (_, alter) => {
  const backend = altered((session) => ({ ...alter(session), ...silent(session) }))
  // The mailbox list is checked every 20 poll intervals, which is every four minutes by default.
  await world.startWorker({ mailboxPollMs: 100 }, { backend })
  const { client, account } = await accountWithMailbox()
  await using _client = client
  await client.deleteMailbox('Gone')
  const [deleted] = await world.expectEvents(account, ['mailboxDeleted'], 1)
  expect(deleted?.path).toBe('Gone')
})

test('mailboxDeleted: without a second connection, STATUS decides', async () => {
  const backend = altered(() => ({}))
  let attempts = 0
  const limited = {
    connect: (options: Parameters<typeof backend.connect>[0]) => {
      if (attempts++ === 0) return backend.connect(options)
      throw new AppError('unreachable', 'Too many connections', { code: 'LIMIT' })
    },
  }
  await world.startWorker(never, { backend: limited })
  const { client, account } = await accountWithMailbox()
  await using _client = client
  await client.deleteMailbox('Gone')
  await world.ask(syncAccount, account, {})
  const [deleted] = await world.expectEvents(account, ['mailboxDeleted'], 1)
  expect(deleted?.path).toBe('Gone')
  expect(attempts).toBeGreaterThan(1)
  expect((await world.state(account))?.state).toBe('connected')
})

test.each([
  ['with NOTIFY', () => ({})],
  ['without NOTIFY', withoutNotify],
])('a mailbox that lists omit %s while STATUS succeeds is not deleted', async (_, more) => {
  let hidden = ''
  let listings = 0
  const backend = altered((session) => ({
    ...omitting((path) => {
      if (path === 'INBOX') listings++
      return path === hidden
    })(session),
    ...more(session),
  }))
  await world.startWorker({ mailboxPollMs: 50 }, { backend })
  const { client, account } = await accountWithMailbox()
  await using _client = client
  hidden = 'Gone'
  await client.run('UNSUBSCRIBE Gone')
  for (let request = 0; request < 3; request++) {
    const seen = listings
    await world.ask(syncAccount, account, {})
    await eventually(() => listings > seen)
  }
  expect(await world.events(account, 'mailboxDeleted')).toEqual([])
  // `mailboxDeleted` is recorded only for the real deletion of the mailbox.
  await client.deleteMailbox('Gone')
  await world.ask(syncAccount, account, {})
  await world.expectEvents(account, ['mailboxDeleted'], 1)
})

/** IMAP backend that lists only the inbox while `isActive`, as after a loss of access rights. */
function failingNamespace(isActive: () => boolean, onList: () => void = () => {}) {
  const isHidden = (path: string) => path !== 'INBOX' && isActive()
  return altered((session) => ({
    async listMailboxes(options) {
      const listed = await omitting(isHidden)(session).listMailboxes?.(options)
      onList()
      return listed ?? []
    },
    async status(path) {
      if (isHidden(path)) throw new AppError('not-found', 'The folder does not exist')
      return session.status(path)
    },
  }))
}

test('a mass disappearance that ends deletes nothing', async () => {
  let isFailing = false
  let listings = 0
  const backend = failingNamespace(
    () => isFailing,
    () => listings++,
  )
  await world.startWorker(never, { backend })
  const { client, account } = await accountWithMailbox('Stays')
  await using _client = client
  const stored = () =>
    world.db
      .selectFrom('mailboxes')
      .select(['id', 'listed'])
      .where('account', '=', account)
      .orderBy('id')
      .execute()
  const before = await stored()
  isFailing = true
  for (let request = 0; request < 3; request++) {
    const seen = listings
    await world.ask(syncAccount, account, {})
    await eventually(() => listings > seen)
  }
  await eventually(async () => {
    expect((await stored()).filter(({ listed }) => listed)).toHaveLength(1)
  })
  isFailing = false
  await world.ask(syncAccount, account, {})
  await eventually(async () => expect(await stored()).toEqual(before))
  expect(await world.events(account, 'mailboxDeleted', 'mailboxReset')).toEqual([])
})

test('a mass disappearance that lasts is a deletion', async () => {
  let isFailing = false
  await world.startWorker({ mailboxPollMs: 200 }, { backend: failingNamespace(() => isFailing) })
  const { client, account } = await accountWithMailbox('Gone')
  await using _client = client
  const announced = (await world.events(account, 'mailboxNew')).length
  isFailing = true
  await world.ask(syncAccount, account, {})
  await world.expectEvents(account, ['mailboxDeleted'], announced - 1)
})

test('a mailbox that an old connection without NOTIFY refuses is indexed over a new one', async () => {
  let isRefused = false
  const refusingSelect = firstOnly((session) => ({
    ...withoutNotify(session),
    async select(path, options) {
      if (path === 'Phoenix' && isRefused) throw new AppError('rejected', 'deleted under us')
      return session.select(path, options)
    },
  }))
  await world.startWorker({}, { backend: altered(refusingSelect) })
  const { client, account } = await accountWithMailbox('Phoenix')
  await using _client = client
  isRefused = true
  await client.append('Phoenix', mail({ subject: 'new' }))
  await world.ask(syncAccount, account, {})
  const announced = await world.expectEvents(account, ['messageNew'], 1)
  expect(announced).toMatchObject([{ path: 'Phoenix' }])
  const names = ['accountDisconnected', 'connectError', 'mailboxDeleted', 'mailboxReset']
  expect(await world.events(account, ...names)).toEqual([])
})

/** A connection on which a mailbox cannot be used after it was deleted and created again. */
const refusing = (isOutdated: () => boolean, listing: 'listed' | 'omitted') =>
  firstOnly((session) => {
    const check = (path: string) => {
      if (path !== 'Phoenix' || !isOutdated()) return
      if (listing === 'omitted') throw new AppError('not-found', 'The folder does not exist')
      throw new AppError('rejected', 'Mailbox was deleted under us')
    }
    return {
      async listMailboxes(options) {
        const listed = await session.listMailboxes(options)
        if (!isOutdated()) return listed
        const others = listed.filter(({ path }) => path !== 'Phoenix')
        const own = listed.filter(({ path }) => path === 'Phoenix')
        if (listing === 'omitted') return others
        return [...others, ...own.map(withoutStatus)]
      },
      async status(path) {
        check(path)
        return session.status(path)
      },
      async select(path, options) {
        check(path)
        return session.select(path, options)
      },
    }
  })

test.each(['listed', 'omitted'] as const)(
  'a mailbox deleted and created again, %s and refused by an outdated connection, is indexed',
  async (listing) => {
    let isOutdated = false
    await world.startWorker(never, { backend: altered(refusing(() => isOutdated, listing)) })
    const { user, client, account } = await accountWithMailbox('Phoenix')
    await using _client = client
    await client.append('Phoenix', mail({ subject: 'old' }))
    await world.expectEvents(account, ['messageNew'], 1)
    isOutdated = true
    await client.deleteMailbox('Phoenix')
    await client.run('CREATE Phoenix')
    await client.append('Phoenix', mail({ subject: 'new' }))
    await world.dovecot.deliver(user, mail())
    await eventually(async () => {
      expect(await subjectsIn(account, 'Phoenix')).toEqual(['new'])
    })
    expect(await world.events(account, 'messageDeleted')).toEqual([])
    const names = ['accountDisconnected', 'connectError', 'authenticationError']
    expect(await world.events(account, ...names)).toEqual([])
  },
)

test.each([
  ['a server with NOTIFY', () => ({})],
  ['a server without NOTIFY', withoutNotify],
])(
  'with %s, a mailbox deleted and immediately created again is indexed again',
  async (_, alter) => {
    await world.startWorker({}, { backend: altered(alter) })
    const { client, account } = await accountWithMailbox()
    await using _client = client
    // Dovecot 2.3 may break the index of a mailbox that is created a third time.
    for (const path of ['Phoenix', 'Sphinx', 'Dragon']) {
      const append = (subject: string) => client.append(path, mail({ subject }))
      const untilListed = (subject: string) =>
        eventuallyKnown(client, async () => {
          expect(await subjectsIn(account, path)).toEqual([subject])
        })
      await client.run(`CREATE ${path}`)
      await append('old')
      // Dovecot may have ended the session, so that the account must reconnect first.
      await eventually(() => world.ask(syncAccount, account, {}))
      await untilListed('old')
      await client.deleteMailbox(path)
      await client.run(`CREATE ${path}`)
      await append('new')
      await eventually(() => world.ask(syncAccount, account, {}))
      await untilListed('new')
    }
  },
)

test.each([
  ['an outdated list with NOTIFY', firstOnly],
  [
    'a list in the middle of it',
    (alter: (session: MailSession) => Partial<MailSession>) => (session: MailSession) => ({
      ...alter(session),
      ...withoutNotify(session),
    }),
  ],
])('a renamed mailbox with %s keeps its message ids', async (_, where) => {
  let omissions = 0
  const isOmitted = (path: string) => path === 'After' && omissions-- > 0
  await world.startWorker(never, { backend: altered(where(omitting(isOmitted))) })
  const { client, account } = await accountWithMailbox('Before')
  await using _client = client
  await client.append('Before', mail({ subject: 'kept' }))
  await world.ask(syncAccount, account, {})
  await world.expectEvents(account, ['messageNew'], 1)
  const ids = async (path: string) => {
    const page = await world.ask(listMessages, account, { path, page: 0, pageSize: 9 })
    return page.messages.map(({ id }) => id)
  }
  const before = await eventually(() => ids('Before'))
  omissions = 1
  await client.run('RENAME Before After')
  await eventually(() => world.ask(syncAccount, account, {}))
  await world.expectEvents(account, ['mailboxDeleted'], 1)
  await eventually(async () => expect(await ids('After')).toEqual(before))
  expect(await world.events(account, 'messageNew')).toHaveLength(1)
})

const testWithCyrus = isSwitchedOff('TEST_CYRUS') ? test.skip : test

testWithCyrus('Cyrus: mailboxDeleted follows a sync request', async () => {
  const cyrus = await testCyrus()
  try {
    await world.startWorker(never)
    const user = cyrus.freshUser()
    await using client = await ImapClient.login(user)
    for (const path of ['Gone', 'Phoenix']) await client.run(`CREATE ${path}`)
    const account = await world.register(user, { imap: rarely })
    await world.connected(account)
    await client.deleteMailbox('Gone')
    await client.deleteMailbox('Phoenix')
    await client.run('CREATE Phoenix')
    await client.append('Phoenix', mail({ subject: 'new' }))
    await world.ask(syncAccount, account, {})
    await eventually(async () => {
      const deleted = await world.events(account, 'mailboxDeleted')
      expect(deleted.map(({ path }) => path)).toContain('Gone')
      expect(await subjectsIn(account, 'Phoenix')).toEqual(['new'])
    })
  } finally {
    await cyrus.drop()
  }
})
