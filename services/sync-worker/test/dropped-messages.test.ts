import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { getMessage, listMessages } from '@posthorn/contracts/commands/messages'
import { grownMessages, type Hook, type ImapScript, startImapScript } from '@posthorn/testkit'
import { mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// Tests with messages at whose description the mail server drops the connection.

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

/** Connected account on a scripted IMAP server whose faults the test controls. */
async function scripted(): Promise<{ server: ImapScript; account: string }> {
  const server = await startImapScript()
  servers.push(server)
  const { host, port } = server
  const user = { ...world.dovecot.freshUser(), pass: 'secret', host, imapPort: port }
  const account = await world.register(user)
  await world.connected(account)
  return { server, account }
}

/** Drops the connection at FETCH of the envelope of these UIDs. Counts lost connections. */
function dropsAt(
  uids: readonly number[],
  items = /ENVELOPE/,
): { hook: Hook; losses: () => number } {
  let count = 0
  const hook: Hook = async ({ rest, defaultReply }) => {
    if (!items.test(rest)) return undefined
    const lines = await defaultReply()
    const isFaulty = lines.some((line) => uids.includes(Number(/\bUID (\d+)/.exec(line)?.[1])))
    if (!isFaulty) return lines
    count++
    return { raw: '', then: 'reset' }
  }
  return { hook, losses: () => count }
}

const list = (account: string) =>
  world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 100 })

const failures = (account: string) =>
  world.events(account, 'connectError', 'authenticationError', 'syncError')

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test.each([
  ['one', [30], 4],
  ['three', [7, 8, 40], 12],
])(
  'messageNew: server drops the connection at %s of 50 messages, all are announced once',
  async (_, faulty, maxLosses) => {
    const { server, account } = await scripted()
    const { hook, losses } = dropsAt(faulty)
    server.on('FETCH', hook)
    const inbox = server.mailbox('INBOX')
    for (const uid of upTo(50)) inbox.append(mail({ subject: `m${uid}` }))
    await world.expectEvents(account, ['messageNew'], 50)
    expect(losses()).toBeLessThanOrEqual(maxLosses)
    const before = losses()
    const { messages } = await list(account)
    expect(messages.map(({ uid, incomplete = false }) => [uid, incomplete])).toEqual(
      upTo(50)
        .toReversed()
        .map((uid) => [uid, faulty.includes(uid)]),
    )
    inbox.append(mail({ subject: 'later' }))
    const events = await world.expectEvents(account, ['messageNew'], 51)
    expect(
      events.map(({ data }) => [data['uid'], data['incomplete'] ?? false]).toSorted(byUid),
    ).toEqual(upTo(51).map((uid) => [uid, faulty.includes(uid)]))
    const message = events.find(({ data }) => data['uid'] === faulty[0])?.data['id']
    expect(await world.ask(getMessage, account, { message: String(message) })).toMatchObject({
      uid: faulty[0],
      incomplete: true,
    })
    expect(losses()).toBe(before)
    expect(await failures(account)).toEqual([])
    await world.connected(account)
  },
)

const byUid = ([a]: unknown[], [b]: unknown[]) => Number(a) - Number(b)

test('messageNew: server drops the connection at the header too, is announced by its flags', async () => {
  const { server, account } = await scripted()
  server.on('FETCH', dropsAt([1], /ENVELOPE|HEADER/).hook)
  const inbox = server.mailbox('INBOX')
  inbox.append(mail({ subject: 'faulty' }))
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(event?.data).toMatchObject({ uid: 1, incomplete: true, size: expect.any(Number) })
  inbox.append(mail({ subject: 'later' }))
  const events = await world.expectEvents(account, ['messageNew'], 2)
  expect(events.map(({ data }) => data['uid'])).toEqual([1, 2])
  expect(await failures(account)).toEqual([])
  await world.connected(account)
})

test('listMessages: server drops the connection at a message from before, lists the message as incomplete', async () => {
  const server = await startImapScript()
  servers.push(server)
  const inbox = server.mailbox('INBOX')
  for (const uid of upTo(50)) inbox.append(mail({ subject: `m${uid}` }))
  server.on('FETCH', dropsAt([20]).hook)
  const { host, port } = server
  const user = { ...world.dovecot.freshUser(), pass: 'secret', host, imapPort: port }
  const account = await world.register(user)
  await world.connected(account)
  const { messages } = await list(account)
  expect(messages.filter(({ incomplete }) => incomplete).map(({ uid }) => uid)).toEqual([20])
  expect(messages).toHaveLength(50)
})

test('messageNew: connection lost once at each of several messages, none is incomplete', async () => {
  const { server, account } = await scripted()
  const lost = new Set<string>()
  server.on('FETCH', ({ rest }) => {
    if (!rest.includes('ENVELOPE') || lost.has(rest)) return undefined
    lost.add(rest)
    return { raw: '', then: 'reset' }
  })
  const inbox = server.mailbox('INBOX')
  for (const uid of upTo(3)) {
    inbox.append(mail({ subject: `m${uid}` }))
    await world.expectEvents(account, ['messageNew'], uid)
  }
  const events = await world.events(account, 'messageNew')
  expect(events.map(({ data }) => [data['subject'], data['incomplete']])).toEqual(
    upTo(3).map((uid) => [`m${uid}`, undefined]),
  )
  expect(lost.size).toBe(3)
})

test('messageNew: mail with 50,000 groups through Dovecot, is announced once and later mail too', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  const groups = grownMessages.find(({ name }) => name === 'grown: groups, 50000')
  expect(groups).toBeDefined()
  await world.dovecot.deliver(user.user, String(groups?.mime()))
  await world.expectEvents(account, ['messageNew'], 1)
  await world.dovecot.deliver(user.user, mail({ subject: 'later' }))
  const events = await world.expectEvents(account, ['messageNew'], 2)
  expect(events.map(({ data }) => [data['uid'], data['incomplete'] ?? false])).toEqual([
    [1, true],
    [2, false],
  ])
  expect((await list(account)).messages.map(({ uid }) => uid)).toEqual([2, 1])
  const message = String(events[0]?.data['id'])
  expect(await world.ask(getMessage, account, { message })).toMatchObject({ incomplete: true })
  expect(await failures(account)).toEqual([])
  await world.connected(account)
})
