import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, imapFaults, type ImapScript, startImapScript } from '@posthorn/testkit'
import { mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// IMAP servers that count messages (EXISTS) and do not list them.

let world: World
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
})
const servers: ImapScript[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})
afterAll(() => world.close())

const { mapsLines, omits } = imapFaults
const without = ['IMAP4rev1', 'SASL-IR', 'AUTH=PLAIN', 'IDLE', 'UNSELECT', 'UIDPLUS']
const withEsearch = [...without, 'ESEARCH']

async function start(capabilities: readonly string[]): Promise<ImapScript> {
  const server = await startImapScript({ capabilities })
  servers.push(server)
  return server
}

const register = ({ host, port: imapPort }: ImapScript) =>
  world.register({ host, imapPort, user: 'jane', pass: 'secret' })

/** Account with three announced messages. */
async function connected(server: ImapScript): Promise<string> {
  const account = await register(server)
  await world.connected(account)
  for (const subject of ['one', 'two', 'three']) server.mailbox('INBOX').append(mail({ subject }))
  await world.expectEvents(account, ['messageNew'], 3)
  return account
}

/** Limits search results to these UIDs. */
const lists = (...uids: number[]) =>
  mapsLines((lines) =>
    lines.map((line) => {
      if (line.startsWith('* SEARCH')) return ['* SEARCH', ...uids].join(' ')
      if (!line.startsWith('* ESEARCH')) return line
      const all = uids.length > 0 ? ` ALL ${uids.join(',')}` : ''
      return line.replace(/ UID.*$/, ` UID${all} COUNT ${uids.length}`)
    }),
  )

const searches = (server: ImapScript) =>
  server.received.filter((line) => /^UID SEARCH.* ALL$/.test(line)).length

/** Waits until the server has listed all messages a number of times. */
const untilListed = (server: ImapScript, count: number) => {
  const before = searches(server)
  return eventually(() => expect(searches(server)).toBeGreaterThanOrEqual(before + count))
}

/** Waits until the index of the inbox is complete. */
const untilCounted = (account: string, messages: number) =>
  eventually(async () => {
    const query = world.db.selectFrom('mailboxes').select('messages')
    const rows = await query.where('account', '=', account).where('path', '=', 'INBOX').execute()
    expect(rows).toEqual([{ messages }])
  })

const uidsOf = async (account: string, name: string) =>
  (await world.events(account, name)).map(({ data }) => data['uid'])

test.each([
  ['empty SEARCH', without, []],
  ['short SEARCH', without, [1]],
  ['empty ESEARCH', withEsearch, []],
  ['short ESEARCH', withEsearch, [2]],
])('%s: nothing is deleted, new messages are announced once', async (_name, capabilities, uids) => {
  const server = await start(capabilities)
  const account = await connected(server)
  const end = server.on('UID SEARCH', lists(...uids))
  server.mailbox('INBOX').append(mail({ subject: 'four' }))
  await untilListed(server, 3)
  expect(await uidsOf(account, 'messageDeleted')).toEqual([])
  end()
  await world.expectEvents(account, ['messageNew'], 4)
  await untilCounted(account, 4)
  expect(await uidsOf(account, 'messageNew')).toEqual([1, 2, 3, 4])
  expect(await uidsOf(account, 'messageDeleted')).toEqual([])
})

test('list as long as the server counts: lacking messages are deleted', async () => {
  const server = await start(withEsearch)
  const account = await connected(server)
  server.mailbox('INBOX').expunge(2)
  await world.expectEvents(account, ['messageDeleted'], 1)
  expect(await uidsOf(account, 'messageDeleted')).toEqual([2])
})

test('SELECT without EXISTS: nothing is deleted', async () => {
  const server = await start(withEsearch)
  const account = await connected(server)
  server.on('EXAMINE', omits(/^\* \d+ EXISTS/))
  server.drop()
  server.mailbox('INBOX').append(mail({ subject: 'four' }))
  await world.expectEvents(account, ['messageNew'], 4)
  expect(await uidsOf(account, 'messageDeleted')).toEqual([])
})

test('empty list at the first sync: old messages are indexed later, without events', async () => {
  const server = await start(withEsearch)
  const inbox = server.mailbox('INBOX')
  const date = new Date('2020-01-01T00:00:00Z')
  for (const subject of ['one', 'two']) inbox.append(mail({ subject }), { date })
  const end = server.on('UID SEARCH', lists())
  const account = await register(server)
  await untilListed(server, 3)
  end()
  await world.connected(account)
  await world.expectEvents(account, ['mailboxNew'], 1)
  inbox.append(mail({ subject: 'new' }))
  await world.expectEvents(account, ['messageNew'], 1)
  expect(await uidsOf(account, 'messageNew')).toEqual([3])
})
