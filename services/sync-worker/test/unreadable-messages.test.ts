import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { getMessage, listMessages } from '@posthorn/contracts/commands/messages'
import { eventually, type ImapScript, startImapScript } from '@posthorn/testkit'
import type { WorkerApp } from '../src/app.ts'
import { mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// Messages that the server refuses to describe, or whose description is too large to parse.

let world: World
let worker: WorkerApp
beforeAll(async () => {
  world = await testWorld()
  worker = await world.startWorker()
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

const list = (account: string) =>
  world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 100 })

/** Value of the metric that counts incomplete messages, by reason. */
async function counted(): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${worker.port}/metrics`)).text()
  const lines = text.matchAll(/^posthorn_messages_incomplete_total\{reason="(\w+)".*\} (\d+)$/gm)
  return Object.fromEntries(Array.from(lines, ([, reason, count]) => [reason, Number(count)]))
}

/** Events of failures that the account had so far. */
async function failures(account: string): Promise<unknown[]> {
  return world.events(account, 'connectError', 'authenticationError', 'syncError')
}

const repeated = (field: string, entry: string, count: number) =>
  `${field}: ${Array.from({ length: count }, () => entry).join(',\r\n ')}`
const plain = ['MIME-Version: 1.0', 'Content-Type: text/plain']
const multipart = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b']

const large: Record<string, string> = {
  recipients: mail({ subject: 'recipients', headers: [repeated('Cc', 'a', 50_000)] }),
  groups: mail({ subject: 'groups', headers: [repeated('Cc', ':;', 13_000)] }),
  languages: mail({
    subject: 'languages',
    headers: [...plain, `Content-Language: en${',en'.repeat(170_000)}`],
  }),
  parts: mail({ subject: 'parts', headers: multipart, body: '--b\r\n\r\n'.repeat(10_000) }),
}

test('messageNew: large descriptions from Dovecot, are announced in part, once, and listed', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  const subjects = [...Object.keys(large), 'usual']
  for (const content of [...Object.values(large), mail({ subject: 'usual' })])
    await world.dovecot.deliver(user.user, content)
  await world.expectEvents(account, ['messageNew'], subjects.length)
  await world.dovecot.deliver(user.user, mail({ subject: 'later' }))
  const events = await world.expectEvents(account, ['messageNew'], subjects.length + 1)
  const announced = events.map(
    ({ data }) => [data['subject'], data['incomplete'] ?? false] as const,
  )
  // In a Maildir, Dovecot may give two messages UIDs in another order than they were delivered in.
  const uids = events.map(({ data }) => Number(data['uid']))
  expect(uids).toEqual(uids.toSorted((a, b) => a - b))
  const expected = [...subjects, 'later'].map((subject) => [subject, subject in large] as const)
  expect(announced).toHaveLength(expected.length)
  expect(new Map(announced)).toEqual(new Map(expected))
  const listed = await list(account)
  expect(listed.messages.map(({ subject, incomplete = false }) => [subject, incomplete])).toEqual(
    announced.toReversed(),
  )
  const parts = events.find(({ data }) => data['subject'] === 'parts')
  const message = await world.ask(getMessage, account, { message: String(parts?.data['id']) })
  expect(message).toMatchObject({ subject: 'parts', incomplete: true })
  expect(await failures(account)).toEqual([])
  expect((await world.state(account))?.state).toBe('connected')
  expect(await counted()).toMatchObject({ truncated: Object.keys(large).length })
})

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test('messageNew: 12 of 50 messages refused by the server, all are announced once and listed', async () => {
  const { server, account } = await scripted()
  const refused = upTo(50).filter((uid) => uid % 4 === 0)
  server.on('FETCH', async ({ rest, defaultReply }) => {
    if (!rest.includes('ENVELOPE')) return undefined
    const lines = await defaultReply()
    const isRefused = lines.some((line) => refused.includes(Number(/\bUID (\d+)/.exec(line)?.[1])))
    return isRefused ? ['{tag} NO [SERVERBUG] Internal error'] : lines
  })
  const inbox = server.mailbox('INBOX')
  for (const uid of upTo(50)) inbox.append(mail({ subject: `m${uid}` }))
  await world.expectEvents(account, ['messageNew'], 50)
  inbox.append(mail({ subject: 'later' }))
  const events = await world.expectEvents(account, ['messageNew'], 51)
  expect(events.map(({ data }) => [data['uid'], data['incomplete'] ?? false])).toEqual(
    upTo(51).map((uid) => [uid, refused.includes(uid)]),
  )
  for (const { data } of events) expect(data).toMatchObject({ size: expect.any(Number), flags: [] })
  const { messages } = await list(account)
  expect(messages.map(({ uid, incomplete = false }) => [uid, incomplete])).toEqual(
    upTo(51)
      .toReversed()
      .map((uid) => [uid, refused.includes(uid)]),
  )
  expect(await failures(account)).toEqual([])
  expect(await counted()).toMatchObject({ refused: refused.length })
})

test('connectError: header of 62 MB for 256 KiB, concerns only the account of this server', async () => {
  const { server, account } = await scripted()
  const other = await scripted()
  const off = server.on('FETCH', ({ rest }) =>
    rest.includes('HEADER')
      ? {
          raw: `* 1 FETCH (UID 1 RFC822.SIZE 9 BODY[HEADER]<0> {62000000}\r\n${'x'.repeat(100_000)}`,
        }
      : undefined,
  )
  server.mailbox('INBOX').append(mail({ subject: 'attack' }))
  await eventually(async () => {
    expect((await world.state(account))?.state).toBe('connectError')
  })
  other.server.mailbox('INBOX').append(mail({ subject: 'other' }))
  await world.expectEvents(other.account, ['messageNew'], 1)
  expect((await list(other.account)).total).toBe(1)
  off()
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(event?.data['subject']).toBe('attack')
})
