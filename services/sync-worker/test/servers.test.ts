import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { eventually } from '@posthorn/testkit'
import { altered } from './altered.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// IMAP servers with fewer extensions than Dovecot, or with faults.

let world: World
beforeAll(async () => {
  world = await testWorld()
})
afterEach(() => world.reset())
afterAll(() => world.close())

test('without mod-sequences: flags of all mailboxes are compared', async () => {
  const backend = altered((session) => ({
    capabilities: { ...session.capabilities, condstore: false },
    async select(path, options) {
      const { highestModseq: _, ...selected } = await session.select(path, options)
      return selected
    },
    async status(path) {
      const { highestModseq: _, ...status } = await session.status(path)
      return status
    },
  }))
  await world.startWorker({}, { backend })
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await using client = await ImapClient.login(user)
  await client.run('CREATE Other')
  for (const folder of ['INBOX', 'Other'])
    for (let n = 0; n < 3; n++) await client.append(folder, mail())
  await world.expectEvents(account, ['messageNew'], 6)
  for (const folder of ['INBOX', 'Other']) {
    await client.run(`SELECT ${folder}`)
    await client.run('UID STORE 1:2 +FLAGS (\\Seen)')
    await client.run('UID STORE 3 +FLAGS ($Custom \\Deleted)')
    await client.run('UID EXPUNGE 3')
  }
  await world.expectEvents(account, ['messageDeleted'], 2)
  await eventually(async () => {
    const updates = (await world.events(account, 'messageUpdated')).filter(
      ({ data }) => data['uid'] !== 3,
    )
    expect(new Set(updates.map(({ path, data }) => `${path} ${String(data['uid'])}`))).toEqual(
      new Set(['INBOX 1', 'INBOX 2', 'Other 1', 'Other 2']),
    )
  })
})

test('announceNew: missingDelay of a late message, messageMissing for an absent one', async () => {
  let tries = 0
  const backend = altered((session) => ({
    async *fetchMessages(uids, options) {
      tries++
      for await (const message of session.fetchMessages(uids, options)) {
        const withheld = message.uid === 1 || (message.uid === 2 && tries < 3)
        if (!withheld) yield message
      }
    },
  }))
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  for (const subject of ['never', 'late', 'well']) await client.append('INBOX', mail({ subject }))
  await world.startWorker({}, { backend })
  const account = await world.register(user, { notifyFrom: new Date(0) })
  const events = await world.expectEvents(account, ['messageNew', 'messageMissing'], 3)
  expect(events).toMatchObject([
    { event: 'messageNew', data: { uid: 3, subject: 'well' } },
    {
      event: 'messageNew',
      data: { uid: 2, subject: 'late', missingRetries: 2, missingDelay: 2_700 },
    },
    { event: 'messageMissing', data: { uid: 1, missingRetries: 3, missingDelay: 5_600 } },
  ])
  expect(events[0]?.data).not.toHaveProperty('missingRetries')
  await world.connected(account)
})

test('announceNew: no event for a message deleted before the fetch', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  const backend = altered((session) => ({
    async *fetchMessages(uids, options) {
      await client.run('UID STORE 1 +FLAGS (\\Deleted)')
      await client.run('UID EXPUNGE 1')
      yield* session.fetchMessages(uids, options)
    },
  }))
  await client.append('INBOX', mail({ subject: 'gone' }))
  await client.append('INBOX', mail({ subject: 'stays' }))
  await client.run('SELECT INBOX')
  await world.startWorker({}, { backend })
  const account = await world.register(user, { notifyFrom: new Date(0) })
  await world.connected(account)
  const events = await world.events(account, 'messageNew', 'messageMissing', 'messageDeleted')
  expect(events.map(({ event, data }) => [event, data['subject']])).toEqual([
    ['messageNew', 'stays'],
  ])
})

test('UidValidityGuard: a stray UIDVALIDITY resets nothing', async () => {
  let stray = 0
  const backend = altered((session) => ({
    async select(path, options) {
      const selected = await session.select(path, options)
      return stray > 0 && stray-- > 0 ? { ...selected, uidValidity: 1n } : selected
    },
  }))
  await world.startWorker({}, { backend })
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  stray = 1
  await world.dovecot.deliver(user.user, mail({ subject: 'one' }))
  await world.expectEvents(account, ['messageNew'], 1)
  // The sync that found the message may have selected the inbox before the fault began.
  await eventually(() => expect(stray).toBe(0))
  await world.dovecot.deliver(user.user, mail({ subject: 'two' }))
  await world.expectEvents(account, ['messageNew'], 2)
  expect(await world.events(account, 'mailboxReset', 'connectError')).toEqual([])
})

test('runSyncPass: a refused mailbox does not block the others', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Broken')
  await client.run('CREATE Sound')
  await client.append('Broken', mail({ subject: 'broken' }))
  let broken = true
  const backend = altered((session) => ({
    async select(path, options) {
      if (path === 'Broken' && broken) throw new AppError('rejected', 'NO', { code: 'CANNOT' })
      return session.select(path, options)
    },
  }))
  await world.startWorker({}, { backend })
  const account = await world.register(user, { notifyFrom: new Date(0) })
  await world.connected(account)
  await client.append('Sound', mail({ subject: 'sound' }))
  await world.expectEvents(account, ['messageNew'], 1)
  broken = false
  const events = await world.expectEvents(account, ['messageNew'], 2)
  expect(events.map(({ data }) => data['subject'])).toEqual(['sound', 'broken'])
})

test('planListUpdate: one listing without a mailbox deletes nothing', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Hidden')
  let hidden = false
  let listings = 0
  const backend = altered((session) => ({
    async listMailboxes() {
      listings++
      const all = await session.listMailboxes()
      return hidden ? all.filter(({ path }) => path !== 'Hidden') : all
    },
  }))
  await world.startWorker({}, { backend })
  const account = await world.register(user)
  await world.connected(account)
  hidden = true
  const seen = listings
  await eventually(() => listings >= seen + 2)
  expect(await world.events(account, 'mailboxDeleted')).toEqual([])
})

test('runSyncPass: an unchanged mailbox is not selected', async () => {
  let selects = 0
  let listings = 0
  const backend = altered((session) => ({
    async select(path, options) {
      selects++
      return session.select(path, options)
    },
    async listMailboxes() {
      listings++
      return session.listMailboxes()
    },
  }))
  await world.startWorker({}, { backend })
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await world.dovecot.deliver(user.user, mail())
  await world.expectEvents(account, ['messageNew'], 1)
  const quiet = listings + 2 // polls after the arrival of the message are over
  await eventually(() => listings >= quiet)
  const before = { selects, listings }
  await eventually(() => listings >= quiet + 3)
  // Each sync pass selects the inbox at most twice: to sync it and to watch it.
  expect(selects - before.selects).toBeLessThanOrEqual(2 * (listings - before.listings + 1))
})
