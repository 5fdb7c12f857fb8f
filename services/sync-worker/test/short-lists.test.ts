import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { eventually, imapFaults, type ImapScript, startImapScript } from '@posthorn/testkit'
import type { WorkerApp } from '../src/app.ts'
import { mail } from './imap-client.ts'
import { searches } from './short-searches.ts'
import { testWorld, type World } from './world.ts'

// IMAP servers that count messages (EXISTS) and do not list them.

let world: World
let worker: WorkerApp
beforeAll(async () => {
  world = await testWorld()
})
const servers: ImapScript[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})
afterAll(() => world.close())

const { mapsLines, omits, replaces, sendsRaw, times } = imapFaults
const plain = ['IMAP4rev1', 'SASL-IR', 'AUTH=PLAIN', 'IDLE', 'UNSELECT', 'UIDPLUS']
const withEsearch = [...plain, 'ESEARCH']
const withModseq = [...withEsearch, 'ENABLE', 'CONDSTORE']

async function start(capabilities: readonly string[] = withEsearch): Promise<ImapScript> {
  const server = await startImapScript({ capabilities })
  servers.push(server)
  return server
}

const register = ({ host, port: imapPort }: ImapScript) =>
  world.register({ host, imapPort, user: 'jane', pass: 'secret' })

const append = (server: ImapScript, ...subjects: string[]) => {
  for (const subject of subjects) server.mailbox('INBOX').append(mail({ subject }))
}

/**
 * Account with messages 1 to 5, which are announced. The worker waits for notifications, so that no
 * comparison of flags runs any more.
 */
async function connected(server: ImapScript): Promise<string> {
  const account = await register(server)
  await world.connected(account)
  append(server, 'one', 'two', 'three', 'four', 'five')
  await world.expectEvents(account, ['messageNew'], 5)
  await untilStored(account, { messages: 5 })
  await eventually(() => {
    expect(server.sessions.some(({ received }) => received.at(-1) === 'IDLE')).toBe(true)
  })
  return account
}

const lists = (server: ImapScript) =>
  server.received.filter((line) => /^UID SEARCH.* ALL$/.test(line)).length

/** Waits until the scripted server has listed all messages of the mailbox a number of times. */
async function untilListed(server: ImapScript, count: number): Promise<void> {
  const before = lists(server)
  await eventually(() => expect(lists(server)).toBeGreaterThanOrEqual(before + count))
}

const untilStored = (account: string, columns: object) =>
  eventually(async () => {
    const query = world.db.selectFrom('mailboxes').selectAll()
    const rows = await query.where('account', '=', account).where('path', '=', 'INBOX').execute()
    expect(rows).toMatchObject([columns])
  })

const uidsOf = async (account: string, name: string) =>
  (await world.events(account, name)).map(({ data }) => data['uid'])

async function gaps(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${worker.port}/metrics`)).text()
  return Number(/^posthorn_short_mailbox_lists_total\{?.*?\}? (\d+)$/m.exec(text)?.[1] ?? 0)
}

const kinds: [string, (uid: number) => boolean][] = [
  ['empty', () => false],
  ['short', (uid) => uid % 2 === 1],
  ['outdated', (uid) => uid < 4],
]
const methods: [string, readonly string[]][] = [
  ['SEARCH', plain],
  ['ESEARCH', withEsearch],
  ['CONDSTORE', withModseq],
]
const cases = kinds.flatMap(([kind, isListed]) =>
  methods.map(([method, capabilities]) => ({ kind, isListed, method, capabilities })),
)

describe('before a gap has lasted 10 minutes', () => {
  beforeAll(async () => {
    worker = await world.startWorker()
  })
  afterAll(() => world.reset())

  test.each(cases)('$kind lists ($method): nothing is deleted', async (scenario) => {
    const server = await start(scenario.capabilities)
    const account = await connected(server)
    const before = await gaps()
    const end = server.on('UID SEARCH', searches(scenario.isListed))
    append(server, 'six')
    await untilListed(server, 4)
    server.drop()
    await untilListed(server, 4)
    expect(await gaps()).toBe(before + 1)
    expect(await uidsOf(account, 'messageDeleted')).toEqual([])
    expect(await world.events(account, 'messageUpdated')).toEqual([])
    end()
    await world.expectEvents(account, ['messageNew'], 6)
    await untilStored(account, { messages: 6, uidNext: '7' })
    expect(await uidsOf(account, 'messageNew')).toEqual([1, 2, 3, 4, 5, 6])
    expect(await uidsOf(account, 'messageDeleted')).toEqual([])
    expect(await world.events(account, 'messageUpdated')).toEqual([])
  })

  test('short list once: is repeated, without a gap', async () => {
    const server = await start()
    const account = await connected(server)
    const before = await gaps()
    const isList = /ALL$/
    const short = searches(() => false)
    const once = times(1, short)
    server.on('UID SEARCH', (command) => (isList.test(command.rest) ? once(command) : undefined))
    server.mailbox('INBOX').expunge(2)
    await world.expectEvents(account, ['messageDeleted'], 1)
    expect(await uidsOf(account, 'messageDeleted')).toEqual([2])
    expect(await gaps()).toBe(before)
  })

  test('gap: new messages are announced, the position is stored', async () => {
    const server = await start(withModseq)
    const account = await connected(server)
    server.on(
      'UID SEARCH',
      searches((uid) => uid !== 2),
    )
    append(server, 'six')
    server.mailbox('INBOX').expunge(3)
    await world.expectEvents(account, ['messageNew'], 6)
    const highestModseq = String(server.mailbox('INBOX').highestModseq)
    await untilStored(account, { uidNext: '7', highestModseq })
    append(server, 'seven')
    await world.expectEvents(account, ['messageNew'], 7)
    await untilStored(account, { uidNext: '8' })
    expect(await uidsOf(account, 'messageDeleted')).toEqual([])
  })

  test('index as large as EXISTS in a gap: the number of messages is unknown', async () => {
    const server = await start()
    const account = await connected(server)
    const end = server.on(
      'UID SEARCH',
      searches((uid) => uid !== 6),
    )
    server.mailbox('INBOX').expunge(2)
    append(server, 'six')
    await untilStored(account, { messages: null, uidNext: '7' })
    const { mailboxes } = await world.ask(listMailboxes, account, { counters: false })
    expect(mailboxes).toMatchObject([{ path: 'INBOX', messages: false }])
    end()
    await world.expectEvents(account, ['messageNew'], 6)
    await untilStored(account, { messages: 5 })
    expect(await uidsOf(account, 'messageDeleted')).toEqual([2])
  })

  test('flags in a gap: unlisted messages keep theirs, and are compared at its end', async () => {
    const server = await start()
    const account = await connected(server)
    const inbox = server.mailbox('INBOX')
    const end = server.on(
      'UID SEARCH',
      searches((uid) => uid % 4 !== 2),
    )
    append(server, 'six')
    await untilListed(server, 2)
    // The flags change without a notification, so that only a comparison of flags finds the change.
    for (const uid of [1, 2]) inbox.message(uid).flags.add('\\Flagged')
    await world.expectEvents(account, ['messageUpdated'], 1)
    await untilListed(server, 3)
    expect(await uidsOf(account, 'messageUpdated')).toEqual([1])
    end()
    await world.expectEvents(account, ['messageUpdated'], 2)
    expect(await uidsOf(account, 'messageUpdated')).toEqual([1, 2])
  })

  test('empty mailbox: all messages are deleted', async () => {
    const server = await start()
    const account = await connected(server)
    for (const uid of [1, 2, 3, 4, 5]) server.mailbox('INBOX').expunge(uid)
    await world.expectEvents(account, ['messageDeleted'], 5)
    await untilStored(account, { messages: 0 })
  })

  test('connection lost after all indexed messages were deleted: no mailboxReset', async () => {
    const server = await start()
    const account = await connected(server)
    server.on('UID FETCH', times(1, sendsRaw('', 'reset')))
    server.mailbox('INBOX').expunge(1, 2, 3, 4, 5)
    append(server, 'six')
    await eventually(async () => {
      const names = (await world.events(account)).map(({ event }) => event)
      expect(names.filter((name) => /messageNew|mailboxReset/.test(name))).toHaveLength(6)
    })
    expect(await world.events(account, 'mailboxReset')).toEqual([])
  })

  test('EXISTS 0 beside listed messages: nothing is deleted', async () => {
    const server = await start()
    const account = await connected(server)
    server.on('EXAMINE', replaces(/^\* \d+ EXISTS/, '* 0 EXISTS'))
    server.drop()
    append(server, 'six')
    await world.expectEvents(account, ['messageNew'], 6)
    expect(await uidsOf(account, 'messageDeleted')).toEqual([])
  })

  test('SELECT without EXISTS: nothing is deleted', async () => {
    const server = await start()
    const account = await connected(server)
    server.on('EXAMINE', omits(/^\* \d+ EXISTS/))
    server.drop()
    append(server, 'six')
    await world.expectEvents(account, ['messageNew'], 6)
    expect(await uidsOf(account, 'messageDeleted')).toEqual([])
  })

  test('short first list: the mailbox is indexed later, without events', async () => {
    const server = await start()
    const inbox = server.mailbox('INBOX')
    const date = new Date('2020-01-01T00:00:00Z')
    for (const subject of ['one', 'two']) inbox.append(mail({ subject }), { date })
    const end = server.on(
      'UID SEARCH',
      searches((uid) => uid > 1),
    )
    const account = await register(server)
    await untilListed(server, 3)
    await untilStored(account, { uidValidity: null, syncedAt: null })
    end()
    await world.expectEvents(account, ['mailboxNew'], 1)
    append(server, 'new')
    await world.expectEvents(account, ['messageNew'], 1)
    expect(await uidsOf(account, 'messageNew')).toEqual([3])
  })
})

describe('after a gap has lasted', () => {
  beforeAll(async () => {
    worker = await world.startWorker({ shortListMs: 1_000 })
  })
  afterAll(() => world.reset())

  /** Makes the scripted server report one message more than the mailbox has. */
  const countsTooMany = (server: ImapScript) => {
    const count = mapsLines((lines) =>
      lines.map((line) =>
        line
          .replace(/^\* (\d+) EXISTS/, (_, n: string) => `* ${Number(n) + 1} EXISTS`)
          .replace(/MESSAGES (\d+)/, (_, n: string) => `MESSAGES ${Number(n) + 1}`),
      ),
    )
    for (const name of ['EXAMINE', 'STATUS']) server.on(name, count)
  }

  test('wrong EXISTS: deletions and new messages are reported', async () => {
    const server = await start()
    const account = await connected(server)
    countsTooMany(server)
    server.drop()
    await untilListed(server, 3)
    server.mailbox('INBOX').expunge(2)
    await world.expectEvents(account, ['messageDeleted'], 1)
    server.mailbox('INBOX').expunge(3)
    append(server, 'six')
    await world.expectEvents(account, ['messageDeleted'], 2)
    await world.expectEvents(account, ['messageNew'], 6)
    expect(await uidsOf(account, 'messageDeleted')).toEqual([2, 3])
  })

  test('short lists: messages that FETCH returns are not deleted', async () => {
    const server = await start()
    const account = await connected(server)
    server.on(
      'UID SEARCH',
      searches((uid) => uid > 5),
    )
    append(server, 'six')
    await world.expectEvents(account, ['messageNew'], 6)
    const isAsked = () => server.received.some((line) => line.startsWith('UID FETCH 1:5 '))
    await eventually(() => expect(isAsked()).toBe(true))
    server.mailbox('INBOX').expunge(4)
    await world.expectEvents(account, ['messageDeleted'], 1)
    expect(await uidsOf(account, 'messageDeleted')).toEqual([4])
  })

  test('short first list: is accepted, the mailbox is synced', async () => {
    const server = await start()
    append(server, 'one', 'two')
    countsTooMany(server)
    const account = await register(server)
    await world.expectEvents(account, ['mailboxNew'], 1)
    append(server, 'new')
    await eventually(async () => expect(await uidsOf(account, 'messageNew')).toContain(3))
    await untilStored(account, { messages: 3, uidNext: '4' })
    const { mailboxes } = await world.ask(listMailboxes, account, { counters: false })
    expect(mailboxes).toMatchObject([{ path: 'INBOX', messages: 3 }])
  })
})
