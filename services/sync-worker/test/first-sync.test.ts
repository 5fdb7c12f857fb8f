import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { getMessage, listMessages } from '@posthorn/contracts/commands/messages'
import { deleteMessage } from '@posthorn/contracts/commands/message-changes'
import { encodeMessageId } from '@posthorn/message-id'
import { eventually } from '@posthorn/testkit'
import { altered } from './altered.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await testWorld()
})
afterEach(() => world.reset())
afterAll(() => world.close())

const old = new Date('2020-01-01T00:00:00Z')

test('initialSync: interrupted repeatedly, announces every message once', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Work')
  const wanted: string[] = []
  for (const folder of ['INBOX', 'Work'])
    for (let n = 0; n < 150; n++) {
      const since = n % 3 !== 0
      const subject = `${folder} ${n}`
      await client.append(folder, mail({ subject }), since ? {} : { date: old })
      if (since) wanted.push(subject)
    }
  // The IMAP connection breaks after `allowed` fetches. `allowed` grows with each connection.
  let fetches = 0
  let allowed = 1
  const backend = altered((session) => ({
    async *fetchMessages(uids, options) {
      let returned = 0
      for await (const message of session.fetchMessages(uids, options)) {
        if (++returned > 20 && ++fetches > allowed) {
          fetches = 0
          allowed += 30
          void session[Symbol.asyncDispose]()
          throw new Error('as if the process had died')
        }
        yield message
      }
    },
  }))
  const account = await world.register(user, { notifyFrom: new Date(Date.now() - 3_600_000) })
  let worker = await world.startWorker({}, { backend })
  for (let restarts = 0; restarts < 3; restarts++) {
    await world.expectEvents(account, ['messageNew'], restarts * 40 + 1)
    await world.stopWorker(worker)
    worker = await world.startWorker({}, { backend })
  }
  await world.connected(account)
  const events = await world.events(account, 'messageNew')
  expect(events.map(({ data }) => String(data['subject'])).toSorted()).toEqual(wanted.toSorted())
  expect(await world.events(account, 'accountInitialized')).toHaveLength(1)
  expect(await world.events(account, 'messageUpdated', 'messageDeleted', 'mailboxReset')).toEqual(
    [],
  )
})

test('reads and changes: before the first list of mailboxes is stored, return 503', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.append('INBOX', mail({ subject: 'first' }))
  const listing = Promise.withResolvers<undefined>()
  const listed = Promise.withResolvers<undefined>()
  const backend = altered((session) => ({
    async listMailboxes(options) {
      listing.resolve(undefined)
      await listed.promise
      return session.listMailboxes(options)
    },
  }))
  await world.startWorker({}, { backend })
  const account = await world.register(user)
  await listing.promise
  // The worker may list the mailboxes before RabbitMQ delivers commands for the account to it.
  await eventually(async () => {
    const read = world.ask(listMailboxes, account, { counters: false })
    const error = await read.catch((reason: unknown) => reason)
    expect(error).not.toMatchObject({ code: 'WorkerNotAvailable' })
  })
  const unknown = encodeMessageId({ mailbox: 99, uid: 1 })
  const early = [
    world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 10 }),
    world.ask(listMailboxes, account, { counters: false }),
    world.ask(getMessage, account, { message: unknown }),
    world.ask(deleteMessage, account, { message: unknown, force: false }),
  ]
  const errors = await Promise.all(early.map((read) => read.catch((error: unknown) => error)))
  listed.resolve(undefined)
  for (const error of errors)
    expect(error).toMatchObject({
      kind: 'unavailable',
      code: 'IMAPUnavailable',
      message: expect.stringMatching(/, retry shortly$/),
    })
  await world.connected(account)
  await expect(world.ask(getMessage, account, { message: unknown })).rejects.toMatchObject({
    code: 'MessageNotFound',
  })
  const { messages } = await world.ask(listMessages, account, {
    path: 'INBOX',
    page: 0,
    pageSize: 10,
  })
  expect(messages.map(({ subject }) => subject)).toEqual(['first'])
})

test('applyNewMessages: a fast index announces new messages only, also after downtime', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Work')
  await client.append('INBOX', mail({ subject: 'before' }), { date: old })
  await client.append('INBOX', mail({ subject: 'since' }))
  await client.append('INBOX', mail({ subject: 'before as well' }), { date: old })
  await client.append('Work', mail({ subject: 'before' }), { date: old })
  const worker = await world.startWorker()
  const account = await world.register(user, {
    imapIndexer: 'fast',
    notifyFrom: new Date(Date.now() - 60_000),
  })
  await world.connected(account)
  await client.run('SELECT INBOX')
  await client.run('UID STORE 1:* +FLAGS (\\Seen)')
  await client.run('UID STORE 1 +FLAGS (\\Deleted)')
  await client.run('UID EXPUNGE 1')
  await client.append('INBOX', mail({ subject: 'live' }))
  await client.append('Work', mail({ subject: 'live elsewhere' }))
  await world.expectEvents(account, ['messageNew'], 3)
  await world.stopWorker(worker)
  await client.append('Work', mail({ subject: 'away' }))
  await client.append('INBOX', mail({ subject: 'away' }))
  await client.run('UID STORE 4 +FLAGS (\\Deleted)')
  await client.run('UID EXPUNGE 4')
  await world.startWorker()
  const events = await world.expectEvents(account, ['messageNew'], 5)
  expect(events.map(({ path, data }) => `${path} ${String(data['subject'])}`).sort()).toEqual([
    'INBOX away',
    'INBOX live',
    'INBOX since',
    'Work away',
    'Work live elsewhere',
  ])
  expect(await world.events(account, 'messageUpdated', 'messageDeleted')).toEqual([])
  const { rows } = await chunksOf(account)
  expect(rows).toEqual([])
})

test('resetMailbox: a fast index continues after a new UIDVALIDITY', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Work')
  const account = await world.register(user, { imapIndexer: 'fast' })
  const worker = await world.startWorker()
  await world.connected(account)
  await world.stopWorker(worker)
  await client.deleteMailbox('Work')
  await client.run('CREATE Work')
  await client.append('Work', mail({ subject: 'there' }))
  await world.startWorker()
  const [reset] = await world.expectEvents(account, ['mailboxReset'], 1)
  expect(reset).toMatchObject({ path: 'Work', data: { reason: 'uidValidityChange' } })
  await client.append('Work', mail({ subject: 'next' }))
  const events = await world.expectEvents(account, ['messageNew'], 1)
  expect(events.map(({ data }) => data['subject'])).toEqual(['next'])
})

test('applyChanges: new, deleted and flagged messages after downtime', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  for (let n = 0; n < 5; n++) await client.append('INBOX', mail({ subject: `m${n}` }))
  const account = await world.register(user, { notifyFrom: new Date(Date.now() - 60_000) })
  const worker = await world.startWorker()
  await world.connected(account)
  await world.stopWorker(worker)
  await client.run('SELECT INBOX')
  await client.run('UID STORE 1,3 +FLAGS (\\Flagged)')
  await client.run('UID STORE 2,4 +FLAGS (\\Deleted)')
  await client.run('UID EXPUNGE 2,4')
  await client.append('INBOX', mail({ subject: 'm5' }))
  await world.startWorker()
  await world.expectEvents(account, ['messageNew'], 6)
  await eventually(async () => {
    const uids = async (event: string) =>
      (await world.events(account, event)).map(({ data }) => data['uid'])
    expect(await uids('messageDeleted')).toEqual([2, 4])
    expect(await uids('messageUpdated')).toEqual([1, 3])
  })
})

function chunksOf(account: string) {
  return world.db
    .selectFrom('mailboxChunks')
    .innerJoin('mailboxes', 'mailboxes.id', 'mailboxChunks.mailbox')
    .where('account', '=', account)
    .select('chunk')
    .execute()
    .then((rows) => ({ rows }))
}
