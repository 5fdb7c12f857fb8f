import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { MailSession } from '@posthorn/backends'
import { syncAccount } from '@posthorn/contracts/commands/maintenance'
import { getMessage, listMessages } from '@posthorn/contracts/commands/messages'
import { eventually, startImapScript, usualCapabilities } from '@posthorn/testkit'
import { altered } from './altered.ts'
import { eventuallyKnown, ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// Mailboxes other than the inbox: detection of changes, renames and deletions.

let world: World
beforeAll(async () => {
  world = await testWorld()
})
afterEach(() => world.reset())
afterAll(() => world.close())

/**
 * IMAP settings with which no full sync pass is due during a test, so that only notifications
 * reveal changes.
 */
const rarely = { resyncDelay: 3_600 }
const old = new Date('2020-01-01T00:00:00Z')
const never = { mailboxPollMs: 600_000 }

const withoutNotify = (more: (session: MailSession) => Partial<MailSession> = () => ({})) =>
  altered((session) => ({
    capabilities: { ...session.capabilities, notify: false },
    ...more(session),
  }))

test('NOTIFY: all mailboxes are live over one connection', async () => {
  await world.startWorker(never)
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Live')
  const account = await world.register(user, { imap: rarely })
  await world.connected(account)
  await client.append('Live', mail({ subject: 'elsewhere' }))
  const [arrived] = await world.expectEvents(account, ['messageNew'], 1)
  expect(arrived).toMatchObject({ path: 'Live', data: { subject: 'elsewhere' } })
  await client.run('SELECT Live')
  await client.run('UID STORE 1 +FLAGS (\\Flagged)')
  const [updated] = await world.expectEvents(account, ['messageUpdated'], 1)
  expect(updated).toMatchObject({ path: 'Live', data: { uid: 1 } })
  await client.run('UID STORE 1 +FLAGS (\\Deleted)')
  await client.run('UID EXPUNGE 1')
  const [deleted] = await world.expectEvents(account, ['messageDeleted'], 1)
  expect(deleted).toMatchObject({ path: 'Live', data: { uid: 1 } })
  // A new message in the inbox is announced, so the inbox is still watched.
  await world.dovecot.deliver(user.user, mail({ subject: 'here' }))
  expect((await world.expectEvents(account, ['messageNew'], 2))[1]).toMatchObject({ path: 'INBOX' })
})

test('NOTIFY: a change while a sync has selected the mailbox, has an event before the next poll', async () => {
  await using server = await startImapScript({
    capabilities: [...usualCapabilities, 'NOTIFY'],
    mailboxes: ['Left'],
  })
  const left = server.mailbox('Left')
  await world.startWorker(never)
  const { host, port: imapPort } = server
  const account = await world.register(
    { host, imapPort, user: 'jane', pass: 'secret' },
    { imap: rarely },
  )
  await world.connected(account)
  await eventually(() => server.sessions.some(({ received }) => received.at(-1) === 'IDLE'))
  // The message arrives just before the pass lists the mailboxes, so the pass finds the message.
  server.on('LIST', () => {
    if (left.messages.length === 0) left.append(mail())
    return undefined
  })
  // The message changes after the pass has read it and before the pass selects the inbox again. The
  // server sends no counters of the selected mailbox.
  let isChanged = false
  server.on('EXAMINE', ({ session }) => {
    if (session.mailbox === left && left.messages.length > 0 && !isChanged) {
      left.changeFlags(1, { add: ['\\Flagged'] })
      isChanged = true
    }
    return undefined
  })
  await world.ask(syncAccount, account, {})
  const [updated] = await world.expectEvents(account, ['messageUpdated'], 1)
  expect(updated).toMatchObject({ path: 'Left', data: { uid: 1 } })
  expect(isChanged).toBe(true)
})

test('NotificationHandler: stores reported flags without a search', async () => {
  let searches = 0
  const backend = altered((session) => ({
    searchUids(query) {
      searches++
      return session.searchUids(query)
    },
    changesSince(since) {
      searches++
      return session.changesSince(since)
    },
  }))
  await world.startWorker(never, { backend })
  const user = world.dovecot.freshUser()
  const account = await world.register(user, { imap: rarely })
  await world.connected(account)
  await world.dovecot.deliver(user.user, mail())
  await world.expectEvents(account, ['messageNew'], 1)
  await using client = await ImapClient.login(user)
  await client.run('SELECT INBOX')
  // A sync may find the change of flags before the watch of the mailbox starts again.
  await client.run('UID STORE 1 +FLAGS (\\Answered)')
  await world.expectEvents(account, ['messageUpdated'], 1)
  await eventually(async () => {
    const before = searches
    const received = (await world.events(account, 'messageUpdated')).length
    await client.run(`UID STORE 1 ${received % 2 === 0 ? '-' : '+'}FLAGS (\\Flagged)`)
    const events = await world.expectEvents(account, ['messageUpdated'], received + 1)
    expect(events[received]?.data).toMatchObject({ uid: 1, changes: { flags: {} } })
    expect(searches).toBe(before)
  })
})

test('NOTIFY: created, renamed and deleted mailboxes have events immediately', async () => {
  await world.startWorker({ mailboxPollMs: 300 })
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  const account = await world.register(user, { imap: rarely })
  await world.connected(account)
  const storedRows = (await world.events(account, 'mailboxNew')).length
  await client.run('CREATE Before')
  await world.expectEvents(account, ['mailboxNew'], storedRows + 1)
  await client.append('Before', mail({ subject: 'kept' }))
  const [message] = await world.expectEvents(account, ['messageNew'], 1)

  /** Waits for a number of `mailboxDeleted` events. Returns these events. */
  const deleted = (count: number) =>
    eventuallyKnown(client, async () => {
      const result = await world.events(account, 'mailboxDeleted')
      return result.length === count && result
    })
  await client.run('RENAME Before After')
  const [gone] = await deleted(1)
  expect(gone?.data).toEqual({ path: 'Before', name: 'Before', specialUse: false })
  await eventuallyKnown(client, async () => {
    const come = await world.events(account, 'mailboxNew')
    expect(come.map(({ path }) => path)).toContain('After')
  })
  // A renamed mailbox is the same mailbox: its messages keep their ids and are not announced again.
  await client.run('SELECT After')
  await client.run('UID STORE 1 +FLAGS (\\Flagged)')
  const [updated] = await world.expectEvents(account, ['messageUpdated'], 1)
  expect(updated).toMatchObject({ path: 'After', data: { id: message?.data['id'] } })
  expect(await world.events(account, 'messageNew')).toHaveLength(1)

  await client.run('UNSELECT')
  await client.deleteMailbox('After')
  const received = await deleted(2)
  expect(received.map(({ path }) => path)).toEqual(['Before', 'After'])
  expect(await world.events(account, 'messageDeleted')).toEqual([])
})

test('Subconnections: live without NOTIFY, other mailboxes are polled', async () => {
  await world.startWorker(never, { backend: withoutNotify() })
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Polled')
  const account = await world.register(user, {
    imap: rarely,
    subconnections: ['\\Sent', 'INBOX', 'nowhere'],
  })
  await world.connected(account)
  await client.append('Polled', mail({ subject: 'polled' }))
  await client.append('Sent', mail({ subject: 'sent' }))
  const [sent] = await world.expectEvents(account, ['messageNew'], 1)
  expect(sent).toMatchObject({ path: 'Sent', specialUse: '\\Sent' })
  await client.run('SELECT Sent')
  await client.run('UID STORE 1 +FLAGS (\\Answered)')
  await world.expectEvents(account, ['messageUpdated'], 1)
  expect(await world.events(account, 'messageNew')).toHaveLength(1)
})

test('MailboxFollower: polls other mailboxes soon after a new message', async () => {
  await world.startWorker({ mailboxPollMs: 300 }, { backend: withoutNotify() })
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Filed')
  const account = await world.register(user, { imap: rarely })
  await world.connected(account)
  await world.dovecot.deliver(user.user, mail())
  await client.append('Filed', mail({ subject: 'filed' }))
  const events = await world.expectEvents(account, ['messageNew'], 2)
  expect(new Set(events.map(({ path }) => path))).toEqual(new Set(['Filed', 'INBOX']))
})

test('planListUpdate: deletes a mailbox missing in two listings whose STATUS fails', async () => {
  let hidden = ''
  let listings = 0
  const backend = withoutNotify((session) => ({
    async listMailboxes(options) {
      listings++
      return (await session.listMailboxes(options)).filter(({ path }) => path !== hidden)
    },
  }))
  await world.startWorker({}, { backend })
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Gone')
  const account = await world.register(user)
  await world.connected(account)
  // A listing left out the mailbox by mistake: INBOX is missing as well, or STATUS of the mailbox
  // succeeds.
  for (const path of ['INBOX', 'Gone']) {
    hidden = path
    const seen = listings
    await eventually(() => listings >= seen + 4)
  }
  expect(await world.events(account, 'mailboxDeleted')).toEqual([])
  hidden = ''
  await client.deleteMailbox('Gone')
  const [deleted] = await world.expectEvents(account, ['mailboxDeleted'], 1)
  expect(deleted?.data).toEqual({ path: 'Gone', name: 'Gone', specialUse: false })
})

test('planListUpdate: resets only the mailbox whose row was lost', async () => {
  await world.startWorker()
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Lost')
  await client.append('Lost', mail(), { date: old })
  const account = await world.register(user)
  await world.connected(account)
  const folders = (await world.events(account, 'mailboxNew')).length
  await world.db
    .deleteFrom('mailboxes')
    .where('account', '=', account)
    .where('path', '=', 'Lost')
    .execute()
  const [reset] = await world.expectEvents(account, ['mailboxReset'], 1)
  expect(reset).toMatchObject({
    path: 'Lost',
    data: { reason: 'syncStateLost' },
  })
  expect(reset?.data).not.toHaveProperty('prevUidValidity')
  await client.append('Lost', mail({ subject: 'after' }))
  const messages = await world.expectEvents(account, ['messageNew'], 1)
  expect(messages.map(({ data }) => data['subject'])).toEqual(['after'])
  expect(await world.events(account, 'mailboxReset')).toHaveLength(1)
  expect(await world.events(account, 'mailboxNew')).toHaveLength(folders)
})

test('UidValidityGuard: a lower UIDVALIDITY is confirmed when it stays', async () => {
  let lower = false
  let looks = 0
  const backend = withoutNotify((session) => ({
    async select(path, options) {
      const selected = await session.select(path, options)
      if (!lower || path !== 'Old') return selected
      looks++
      return { ...selected, uidValidity: 7n }
    },
    async status(path) {
      const status = await session.status(path)
      return lower && path === 'Old' ? { ...status, uidValidity: 7n } : status
    },
    async listMailboxes() {
      return session.listMailboxes()
    },
  }))
  await world.startWorker({}, { backend })
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Old')
  await client.append('Old', mail(), { date: old })
  const account = await world.register(user)
  await world.connected(account)
  lower = true
  const [reset] = await world.expectEvents(account, ['mailboxReset'], 1)
  expect(looks).toBeGreaterThanOrEqual(3)
  expect(reset?.data).toMatchObject({ uidValidity: '7', reason: 'uidValidityChange' })
  expect(await world.events(account, 'messageNew')).toEqual([])
})

test('unsynced mailboxes: can be read and have no events', async () => {
  await world.startWorker()
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Aside')
  await client.append('Aside', mail({ subject: 'aside' }))
  const account = await world.register(user, { path: ['INBOX'] })
  await world.connected(account)
  const page = await world.ask(listMessages, account, { path: 'Aside', page: 0, pageSize: 1 })
  expect(page).toMatchObject({ total: 1, messages: [{ path: 'Aside', subject: 'aside' }] })
  const message = page.messages[0]?.id ?? ''
  expect(await world.ask(getMessage, account, { message })).toMatchObject({ subject: 'aside' })
  await client.deleteMailbox('Aside')
  await eventually(async () => {
    const requested = world.ask(listMessages, account, { path: 'Aside', page: 0, pageSize: 1 })
    await expect(requested).rejects.toMatchObject({ code: 'FolderNotFound' })
    const stored = await world.db.selectFrom('mailboxes').select('path').execute()
    expect(stored.map(({ path }) => path)).not.toContain('Aside')
  })
  const received = await world.events(account, 'mailboxNew', 'mailboxDeleted', 'messageNew')
  expect(received.map(({ event, path }) => [event, path])).toEqual([['mailboxNew', 'INBOX']])
})

test('selectMonitored: special uses of path, with sentMailPath', async () => {
  await world.startWorker()
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Gesendet')
  const account = await world.register(user, {
    path: ['\\Sent', '\\Junk'],
    imap: { sentMailPath: 'Gesendet' },
  })
  await world.connected(account)
  const result = await world.events(account, 'mailboxNew')
  expect(
    Object.fromEntries(result.map(({ path, specialUse }) => [path ?? '', specialUse])),
  ).toEqual({
    Gesendet: '\\Sent',
    Junk: '\\Junk',
  })
})

test('path of the account: one that names no mailbox is the syncError until it is created', async () => {
  await world.startWorker()
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  const account = await world.register(user, { path: ['inbox', 'Nowhere'] })
  await world.connected(account)
  expect(await world.state(account)).toMatchObject({
    syncError: { path: 'Nowhere', error: 'The folder does not exist' },
  })
  await client.run('CREATE Nowhere')
  await eventually(async () => {
    expect(await world.state(account)).toMatchObject({ syncError: null })
  })
})

test('NOTIFICATIONOVERFLOW: falls back to polling and subconnections', async () => {
  let overflown = false
  const backend = altered((session) => ({
    watch(notification, signal, options) {
      const tell: typeof notification = (received) =>
        received.kind === 'mailbox' ? undefined : notification(received)
      if (options?.everywhere && !overflown) {
        overflown = true
        setImmediate(() => notification({ kind: 'overflow' }))
      }
      return session.watch(tell, signal, { everywhere: false })
    },
  }))
  await world.startWorker({ mailboxPollMs: 300 }, { backend })
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Polled')
  const account = await world.register(user, { imap: rarely, subconnections: ['\\Sent'] })
  await world.connected(account)
  await eventually(() => overflown)
  await client.append('Polled', mail({ subject: 'polled' }))
  await client.append('Sent', mail({ subject: 'sent' }))
  await world.dovecot.deliver(user.user, mail({ subject: 'inbox' }))
  const events = await world.expectEvents(account, ['messageNew'], 3)
  expect(new Set(events.map(({ data }) => data['subject']))).toEqual(
    new Set(['inbox', 'polled', 'sent']),
  )
})
