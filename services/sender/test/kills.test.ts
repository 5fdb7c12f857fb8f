import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import {
  eventually,
  faultSize,
  serviceProgram,
  type SmtpScript,
  startSmtpScript,
} from '@posthorn/testkit'
import { sql } from 'kysely'
import { senderFixture } from './fixture.ts'
import { mailboxWorker } from './mailbox-worker.ts'

/** Number of messages between two kills of a sender with many messages in flight. */
const perKill = faultSize({ small: 10, full: 20 })
const fixture = await senderFixture()
const { db, addAccount, submit, row, finished, eventsOf } = fixture
const folder = await mkdtemp(join(tmpdir(), 'posthorn-test-journal-'))
const journalFolder = join(folder, 'journal')
const running = new Set<ChildProcess>()
const servers: SmtpScript[] = []
afterEach(async () => {
  for (const sender of running) await kill(sender)
  for (const server of servers.splice(0)) await server.close()
})
afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

function start(env: Record<string, string> = {}): ChildProcess {
  const sender = spawn(process.execPath, serviceProgram('sender'), {
    stdio: 'ignore',
    env: {
      ...fixture.env(),
      // Lease shorter than the 15 s after which a silent sender counts as ended. Longer than a
      // pause of a busy machine, in which an attempt would lose its lease before the end of data.
      SVC_SENDER_LEASE: '10s',
      SVC_SENDER_SWEEP: '200ms',
      SVC_SENDER_JOURNAL: journalFolder,
      SVC_SENDER_PER_ACCOUNT: '16',
      SVC_SENDER_PER_HOST: '16',
      ...env,
    },
  })
  running.add(sender)
  return sender
}

async function kill(sender: ChildProcess): Promise<void> {
  running.delete(sender)
  if (sender.exitCode !== null || sender.signalCode !== null) return
  const ended = once(sender, 'exit')
  sender.kill('SIGKILL')
  await ended
}

async function server(): Promise<SmtpScript> {
  const started = await startSmtpScript()
  servers.push(started)
  return started
}

/** Message-IDs of the SMTP acceptances that senders have recorded in their journal files. */
async function journalled(): Promise<string[]> {
  const names = await readdir(journalFolder).catch(() => [])
  const texts = await Promise.all(
    names.map((name) => readFile(join(journalFolder, name), 'utf8').catch(() => '')),
  )
  return texts.flatMap((text) =>
    [...text.matchAll(/"messageId":"(<[^"]+>)"/g)].map(([, id = '']) => id),
  )
}

async function senderIds(): Promise<string[]> {
  const rows = await db.selectFrom('senders').select('id').execute()
  return rows.map(({ id }) => id)
}

const idsOf = ({ accepted }: SmtpScript) => accepted.map(({ messageId }) => messageId).toSorted()
const expected = (queueIds: string[]) => queueIds.map((id) => `<${id}@example.com>`).toSorted()

test('AcceptanceJournal: sender killed with 16 received replies that are not recorded, each message is sent once', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const sender = start()
  const queueIds: string[] = []
  // The lock prevents the sender from recording an outcome in Postgres.
  await db.transaction().execute(async (tx) => {
    await sql`lock table events in share mode`.execute(tx)
    for (let n = 0; n < 16; n++) queueIds.push(await submit({ account }))
    await eventually(async () => expect(await journalled()).toHaveLength(16))
    await kill(sender)
  })
  start()
  for (const queueId of queueIds)
    expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 1 })
  expect(idsOf(smtp)).toEqual(expected(queueIds))
  expect((await eventsOf(account)).map(({ event }) => event)).toEqual(
    queueIds.map(() => 'messageSent'),
  )
})

test('AcceptanceJournal: killed sender that is not replaced, the other one records its acceptances', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const sender = start()
  const queueIds: string[] = []
  await db.transaction().execute(async (tx) => {
    await sql`lock table events in share mode`.execute(tx)
    for (let n = 0; n < 4; n++) queueIds.push(await submit({ account }))
    await eventually(() => expect(smtp.accepted).toHaveLength(4))
    await eventually(async () =>
      expect(await journalled()).toEqual(expect.arrayContaining(expected(queueIds))),
    )
    // The test uses a sender that runs when the other sender is killed. The running sender finds
    // the killed sender's journal (file of SMTP acceptances) only later.
    const before = await senderIds()
    start()
    await eventually(async () => (await senderIds()).some((id) => !before.includes(id)))
    await kill(sender)
  })
  for (const queueId of queueIds)
    expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 1 })
  expect(idsOf(smtp)).toEqual(expected(queueIds))
})

test('HandoverIntent: sender killed before the end of data, leaves no unknown outcome', async () => {
  const smtp = await server()
  const [account, other] = [await addAccount(smtp), await addAccount(smtp)]
  const sender = start({ SVC_SENDER_PER_ACCOUNT: '1' })
  await finished(await submit({ account }))
  // True once the SMTP server withholds its reply to DATA of the second message of the session.
  let isHeld = false
  smtp.on('DATA', async ({ session, defaultReply }) => {
    if (isHeld || session.envelope?.to[0]?.address !== 'held@example.net') return defaultReply()
    isHeld = true
    return []
  })
  const queueId = await submit({ account, to: ['held@example.net'] })
  await eventually(() => isHeld)
  // The sender commits the outcomes of several messages of another account meanwhile.
  for (let n = 0; n < 3; n++) await finished(await submit({ account: other }))
  expect(await row(queueId)).toMatchObject({ attempts: 1, dataSentAt: null })
  await kill(sender)
  start()
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 2 })
  expect(idsOf(smtp).filter((id) => id === `<${queueId}@example.com>`)).toHaveLength(1)
})

test('runAttempt: sender killed three times at a reply with 16 messages in flight, doubles three messages at most', async () => {
  const smtp = await server()
  const accounts = await Promise.all(Array.from({ length: 4 }, () => addAccount(smtp)))
  let sender = start()
  let kills = 0
  // The SMTP server accepts a message by its reply, and sends one reply at a time. The next reply
  // follows when the acceptance of the current message is in the sender's journal file.
  let turn = Promise.resolve()
  smtp.on('dot', async ({ message, session, defaultReply }) => {
    const own = sender
    const previous = turn
    const { promise, resolve } = Promise.withResolvers<void>()
    turn = promise
    await previous
    if (own !== sender) {
      resolve()
      return []
    }
    const lines = await defaultReply()
    session.write(`${lines.join('\r\n')}\r\n`)
    const { messageId = '' } = message ?? {}
    if (kills < 3 && smtp.accepted.length % perKill === perKill / 2) {
      kills++
      await kill(sender)
      sender = start()
    } else
      await eventually(async () => {
        const { state } = await row(messageId.slice(1, 37))
        return state === 'sent' || (await journalled()).includes(messageId)
      })
    resolve()
    return []
  })
  const queueIds: string[] = []
  for (let n = 0; n < 3 * perKill + 4; n++)
    queueIds.push(await submit({ account: accounts[n % 4] ?? '' }))
  for (const queueId of queueIds) expect(await finished(queueId)).toMatchObject({ state: 'sent' })
  expect(kills).toBe(3)
  const ids = idsOf(smtp)
  expect([...new Set(ids)]).toEqual(expected(queueIds))
  expect(ids.length - queueIds.length).toBeLessThanOrEqual(3)
}, 400_000)

test('SmtpTransport: sender killed after a partial acceptance, sends to the other recipients only', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  await using worker = await mailboxWorker(fixture.broker.url)
  await worker.serve(account)
  // The mail server files sent mail in the Sent mailbox, from the end of data on.
  worker.replies.find = async ({ messageId }) =>
    smtp.accepted.some((message) => message.messageId === messageId)
  const imap = JSON.stringify({ host: 'imap.example.com', port: 993 })
  await db
    .updateTable('accounts')
    .set({ imap, copy: false })
    .where('account', '=', account)
    .execute()
  let sender = start()
  smtp.on('RCPT', ({ line }) =>
    smtp.accepted.length === 0 && line.includes('later@') ? ['450 4.7.1 later'] : undefined,
  )
  smtp.on('dot', async ({ defaultReply }) => {
    if (smtp.accepted.length > 0) return defaultReply()
    await defaultReply()
    await kill(sender)
    return []
  })
  const to = ['first@example.net', 'later@example.net', 'second@example.net']
  const queueId = await submit({ account, to })
  await eventually(() => sender.signalCode === 'SIGKILL')
  sender = start()
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
  expect(smtp.accepted.map((message) => message.to)).toEqual([
    ['first@example.net', 'second@example.net'],
    ['later@example.net'],
  ])
  const sent = (await eventsOf(account)).filter(({ event }) => event === 'messageSent')
  expect(sent.map(({ data }) => (data['envelope'] as { to: string[] }).to)).toEqual([
    ['first@example.net', 'second@example.net'],
    ['later@example.net'],
  ])
})
