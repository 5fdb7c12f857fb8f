import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { getMessage } from '@posthorn/contracts/commands/messages'
import { exportCompleted, exportFailed } from '@posthorn/contracts/events/exports'
import { eventually, isSwitchedOff, testCyrus, type TestUser } from '@posthorn/testkit'
import type { WorkerApp } from '../src/app.ts'
import { createExport, exportEnd, getExport, readLines, runToEnd } from './export-scene.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

let world: World
let worker: WorkerApp
beforeAll(async () => {
  world = await testWorld()
  worker = await world.startWorker()
})
afterAll(() => world.close())

const day = (number: number, seconds = 0) => new Date(Date.UTC(2024, 0, number, 12, 0, seconds))
const bytes = randomBytes(300 * 1024)

/** Message with two texts, a small and a large attachment and an attached message. */
function largeMail(subject: string): string {
  const body = [
    '--b',
    'Content-Type: multipart/alternative; boundary=a',
    '',
    '--a',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'caf=C3=A9',
    '--a',
    'Content-Type: text/html',
    '',
    '<p>caf&eacute;</p>',
    '--a--',
    '--b',
    'Content-Type: application/octet-stream; name=large.bin',
    'Content-Transfer-Encoding: base64',
    '',
    bytes.toString('base64').replace(/.{76}/g, '$&\r\n'),
    '--b',
    'Content-Type: text/csv; name=small.csv',
    'Content-Disposition: attachment',
    '',
    'a,b',
    '--b',
    'Content-Type: message/rfc822',
    '',
    'Subject: inner',
    '',
    'inner text',
    '--b--',
  ].join('\r\n')
  return mail({
    subject,
    headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
    body,
  })
}

interface Placed {
  path: string
  date: Date
  source: string
}

async function place(
  user: Omit<TestUser, 'submissionPort'>,
  messages: readonly Placed[],
): Promise<string> {
  await using client = await ImapClient.login(user)
  for (const path of new Set(messages.map((message) => message.path)))
    if (path !== 'INBOX') await client.run(`CREATE "${path}"`).catch(() => undefined)
  for (const { path, date, source } of messages) await client.append(path, source, { date })
  const account = await world.register(user)
  await world.connected(account)
  return account
}

const simple = (path: string, date: Date, subject: string): Placed => ({
  path,
  date,
  source: mail({ subject }),
})
const subjects = (lines: readonly { subject: string }[]) => lines.map(({ subject }) => subject)

test('export: lines in date order over all folders, equal to the messages of getMessage', async () => {
  const account = await place(world.dovecot.freshUser(), [
    simple('INBOX', day(3), 'third'),
    simple('Work', day(1), 'first'),
    { path: 'Work', date: day(5), source: largeMail('fifth') },
    simple('INBOX', day(2), 'second'),
    { path: 'INBOX', date: day(4), source: largeMail('fourth') },
  ])
  const { lines, row, exportId } = await runToEnd(world.db, account)
  expect(subjects(lines)).toEqual(['first', 'second', 'third', 'fourth', 'fifth'])
  for (const line of lines) {
    const request = { message: line.id, textType: '*' as const }
    expect(line).toEqual(await world.ask(getMessage, account, request))
  }
  expect(row).toMatchObject({ status: 'completed', phase: 'complete', truncated: false })
  expect(row).toMatchObject({ messagesQueued: 5, messagesExported: 5, messagesSkipped: 0 })
  expect(row.foldersScanned).toBe(row.foldersTotal)
  const [event, ...others] = await world.expectEvents(account, [exportCompleted.name], 1)
  expect(others).toEqual([])
  expect(event?.data).toMatchObject({ exportId, messagesExported: 5, messagesSkipped: 0 })
  expect(event?.data['bytesWritten']).toBe(Number(row.bytesWritten))
  // The stored message list of an export is removed together with files of exports, every 10 s.
  await eventually(
    async () => {
      const left = await world.db.selectFrom('exportIndex').select('exportId').execute()
      expect(left).toEqual([])
    },
    { timeoutMs: 30_000 },
  )
})

test('export with attachments: contents of any size are base64', async () => {
  const account = await place(world.dovecot.freshUser(), [
    simple('INBOX', day(1), 'before'),
    { path: 'INBOX', date: day(2), source: largeMail('large') },
    simple('INBOX', day(3), 'after'),
  ])
  const { lines } = await runToEnd(world.db, account, { includeAttachments: true })
  expect(subjects(lines)).toEqual(['before', 'large', 'after'])
  const [large, small, inner] = lines[1]?.attachments ?? []
  expect(large?.content).toBe(bytes.toString('base64'))
  expect(
    Buffer.from(small?.content ?? '', 'base64')
      .toString()
      .trim(),
  ).toBe('a,b')
  expect(Buffer.from(inner?.content ?? '', 'base64').toString()).toContain('inner text')
})

test('export: text type and maximum bytes, as for getMessage', async () => {
  const account = await place(world.dovecot.freshUser(), [
    { path: 'INBOX', date: day(1), source: largeMail('large') },
  ])
  for (const options of [
    { textType: 'plain', maxBytes: 3 },
    { textType: 'html', maxBytes: 1_000 },
  ] as const) {
    const { lines } = await runToEnd(world.db, account, options)
    const [line] = lines
    const request = { message: line?.id ?? '', ...options }
    expect(line).toEqual(await world.ask(getMessage, account, request))
  }
})

test('export: start is inclusive, end exclusive, to the second', async () => {
  const account = await place(
    world.dovecot.freshUser(),
    [0, 1, 2, 3].map((seconds) => simple('INBOX', day(1, seconds), `at ${seconds}`)),
  )
  const range = { startDate: day(1, 1), endDate: day(1, 3) }
  const { lines } = await runToEnd(world.db, account, range)
  expect(subjects(lines)).toEqual(['at 1', 'at 2'])
  const none = { startDate: day(2), endDate: day(3) }
  const { lines: empty, row } = await runToEnd(world.db, account, none)
  expect(empty).toEqual([])
  expect(row).toMatchObject({ status: 'completed', messagesExported: 0, chunks: 1 })
})

test('export: without folders leaves out junk and trash; names are paths or special uses', async () => {
  const paths = ['INBOX', 'Junk', 'Trash', 'Sent']
  const account = await place(
    world.dovecot.freshUser(),
    paths.map((path, at) => simple(path, day(at + 1), path)),
  )
  const exported = async (folders: string[]) =>
    subjects((await runToEnd(world.db, account, { folders })).lines)
  expect(await exported([])).toEqual(['INBOX', 'Sent'])
  expect(await exported(['\\Trash', 'inbox', 'Unknown', 'INBOX'])).toEqual(['INBOX', 'Trash'])
  expect(await exported(['Unknown'])).toEqual([])
})

test('export: exportMaxMessages and exportMaxSize, end it truncated', async () => {
  const account = await place(
    world.dovecot.freshUser(),
    [1, 2, 3].map((number) => simple('INBOX', day(number), `${number}`)),
  )
  await setting('exportMaxMessages', 2)
  const { lines, row } = await runToEnd(world.db, account)
  expect(subjects(lines)).toEqual(['1', '2'])
  expect(row).toMatchObject({ truncated: true, messagesQueued: 3, messagesExported: 2 })
  await setting('exportMaxMessages', 3)
  expect((await runToEnd(world.db, account)).row.truncated).toBe(false)
  await setting('exportMaxMessages', null)
})

async function setting(key: string, value: unknown): Promise<void> {
  const json = JSON.stringify(value)
  await world.db
    .insertInto('settings')
    .values({ key, value: json })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: json }))
    .execute()
  await world.bus.invalidate({ topic: 'settings' })
}

test('export: storage in use, ends truncated', async () => {
  const account = await place(world.dovecot.freshUser(), [
    { path: 'INBOX', date: day(1), source: largeMail('1') },
    simple('INBOX', day(2), '2'),
  ])
  await world.stopWorker(worker)
  const exports = { maxAgeMs: 60_000, maxStoredBytes: 1, maxUnavailableMs: 60_000 }
  worker = await world.startWorker({ exports })
  const { lines, row } = await runToEnd(world.db, account, { includeAttachments: true })
  expect(row.truncated).toBe(true)
  expect(lines.length).toBeLessThan(2)
  await world.stopWorker(worker)
  worker = await world.startWorker()
})

test('export: mail server unavailable for longer than the patience, fails once', async () => {
  const user = world.dovecot.freshUser()
  const account = await place(user, [simple('INBOX', day(1), '1')])
  await world.stopWorker(worker)
  const exports = { maxAgeMs: 60_000, maxStoredBytes: 1e9, maxUnavailableMs: 1_500 }
  worker = await world.startWorker({ exports })
  // The mail server of the account gets port 1, which no server listens on.
  await world.db
    .updateTable('accounts')
    .set({ imap: JSON.stringify({ host: user.host, port: 1 }), version: '99' })
    .where('account', '=', account)
    .execute()
  await world.bus.invalidate({ topic: 'accounts', id: account })
  const exportId = await createExport(world.db, account)
  const row = await exportEnd(world.db, exportId)
  expect(row).toMatchObject({ status: 'failed', chunks: 0 })
  const events = await world.expectEvents(account, [exportFailed.name], 1)
  expect(events.map(({ data }) => data)).toEqual([
    expect.objectContaining({ exportId, phase: 'indexing', messagesExported: 0 }),
  ])
  await world.stopWorker(worker)
  worker = await world.startWorker()
})

test('export: messages and folders that disappear, are skipped and counted', async () => {
  const user = world.dovecot.freshUser()
  const account = await place(user, [
    ...[1, 2, 3, 4].map((number) => simple('INBOX', day(number), `${number}`)),
    ...[5, 6].map((number) => simple('Gone', day(number), `${number}`)),
  ])
  world.exportKeys.areAvailable = false
  const exportId = await createExport(world.db, account)
  await eventually(async () => {
    expect((await getExport(world.db, exportId)).phase).toBe('exporting')
  })
  await using client = await ImapClient.login(user)
  await client.run('SELECT INBOX')
  await client.run('STORE 2 +FLAGS (\\Deleted)')
  await client.run('EXPUNGE')
  await client.deleteMailbox('Gone')
  world.exportKeys.areAvailable = true
  const row = await exportEnd(world.db, exportId)
  expect(row).toMatchObject({ status: 'completed', messagesExported: 3, messagesSkipped: 3 })
  expect(subjects(await readLines(world.db, exportId))).toEqual(['1', '3', '4'])
})

const testWithCyrus = isSwitchedOff('TEST_CYRUS') ? test.skip : test

testWithCyrus('export: all times, also from a server that rejects early dates', async () => {
  const cyrus = await testCyrus()
  try {
    const account = await place(cyrus.freshUser(), [simple('INBOX', day(1), 'first')])
    const range = { startDate: new Date('0001-01-01'), endDate: new Date('9999-12-31') }
    const { lines, row } = await runToEnd(world.db, account, range)
    expect(subjects(lines)).toEqual(['first'])
    expect(row).toMatchObject({ status: 'completed', truncated: false })
  } finally {
    await cyrus.drop()
  }
})
