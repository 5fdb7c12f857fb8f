import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts'
import type { Filing } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { eventually, type SmtpScript, startSmtpScript } from '@posthorn/testkit'
import { senderFixture, sentEventId } from './fixture.ts'
import { mailboxWorker } from './mailbox-worker.ts'

const fixture = await senderFixture()
const { db, startSender, submit, row, eventsOf } = fixture
const senders = await Promise.all([startSender(), startSender()])
/** No sender, then one with another environment. */
async function replaceSenders(env?: Record<string, string>): Promise<void> {
  for (const sender of senders.splice(0)) await sender[Symbol.asyncDispose]()
  if (env) senders.push(await startSender(env))
}
const worker = await mailboxWorker(fixture.broker.url)
const servers: SmtpScript[] = []
afterEach(async () => {
  delete worker.part.file
  delete worker.part.find
  await Promise.all(servers.splice(0).map((server) => server.close()))
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  for (const sender of senders) await sender[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const heldShards = new Set<number>()

/** An account with a mailbox that a worker holds. */
async function accountWith(given: { copy?: boolean; imap?: object | null; held?: boolean } = {}) {
  const smtp = await startSmtpScript()
  servers.push(smtp)
  let account = await fixture.addAccount(smtp)
  // Two accounts may share a shard.
  while (given.held === false && heldShards.has(shardOf(account)))
    account = await fixture.addAccount(smtp)
  const imap = given.imap === undefined ? { host: 'imap.example.com', port: 993 } : given.imap
  await db
    .updateTable('accounts')
    .set({ imap: imap && JSON.stringify(imap), copy: given.copy ?? null })
    .where('account', '=', account)
    .execute()
  if (given.held !== false) {
    heldShards.add(shardOf(account))
    await worker.hold(account)
  }
  return { smtp, account }
}

/** Submitted for later, changed to what the test is about, and due then. */
async function submitWith(account: string, filing: Filing | null, more: object = {}) {
  const queueId = await submit({ account, sendAt: new Date(Date.now() + 3_600_000) })
  await db
    .updateTable('outbox')
    .set({ filing: filing && JSON.stringify(filing), nextAttemptAt: new Date(0), ...more })
    .where('queueId', '=', queueId)
    .execute()
  return queueId
}
const filedFor = (queueId: string) => worker.asked.file.filter((asked) => asked.queueId === queueId)
const filed = (queueId: string) =>
  eventually(async () =>
    expect(await row(queueId)).toMatchObject({ state: 'sent', filingNextAt: null, mime: null }),
  )

test('after a message was sent its copy is asked for, and its bytes are kept until then', async () => {
  const { account } = await accountWith()
  let kept: Buffer | null = null
  worker.part.file = async ({ queueId }) => {
    kept = (await row(queueId)).mime
    return { path: 'Sent', skipped: [] }
  }
  const queueId = await submitWith(account, null)
  await filed(queueId)
  expect(filedFor(queueId)).toEqual([
    { account, queueId, messageId: `<${queueId}@example.com>`, copy: true },
  ])
  expect(String(kept)).toContain('Subject: Test')
  expect(await eventsOf(account)).toHaveLength(1)
})

test('what the message asks for is done, also where there is no copy', async () => {
  const { account } = await accountWith({ copy: false })
  const reference = { message: 'AAAA', action: 'reply' as const }
  const queueId = await submitWith(account, { reference, draft: 'BBBB' })
  await filed(queueId)
  expect(filedFor(queueId)).toMatchObject([{ copy: false, reference, draft: 'BBBB' }])
})

test.each([
  ['the account has no mailbox', { imap: null }],
  ['its mailbox is disabled', { imap: { disabled: true } }],
  ['it wants no copies', { copy: false }],
])('nothing is asked where %s', async (_, given) => {
  const { account } = await accountWith(given)
  const queueId = await submitWith(account, null)
  await filed(queueId)
  expect(filedFor(queueId)).toEqual([])
})

test('a mailbox that cannot be had is asked again, and nothing is sent again', async () => {
  const { account, smtp } = await accountWith({ held: false })
  const queueId = await submitWith(account, null)
  await eventually(async () =>
    expect(await row(queueId)).toMatchObject({ filingError: expect.any(String) }),
  )
  let times = 0
  worker.part.file = async () => {
    if (++times < 3) throw new AppError('unavailable', 'not now', { code: 'ConnectionError' })
    return { path: 'Sent', skipped: [] }
  }
  await worker.hold(account)
  await filed(queueId)
  expect(times).toBe(3)
  expect(smtp.accepted).toHaveLength(1)
  expect((await eventsOf(account)).map(({ event }) => event)).toEqual(['messageSent'])
})

test('what can never be done is given up and remembered', async () => {
  const { account } = await accountWith()
  worker.part.file = async () => {
    throw new AppError('not-found', 'The folder does not exist', { code: 'FolderNotFound' })
  }
  const queueId = await submitWith(account, null)
  await filed(queueId)
  expect(await row(queueId)).toMatchObject({ filingError: 'The folder does not exist' })
  expect(filedFor(queueId)).toHaveLength(1)
})

test('what failed for hours is given up', async () => {
  const { account } = await accountWith({ held: false })
  const queueId = await submitWith(account, null, {
    state: 'sent',
    finishedAt: new Date(Date.now() - 24 * 3_600_000),
    filingNextAt: new Date(0),
  })
  await filed(queueId)
  expect(await row(queueId)).toMatchObject({ filingError: expect.stringMatching(/worker/i) })
})

test('one account whose mailbox hangs holds up no other', async () => {
  const hanging = await accountWith()
  const quick = await accountWith()
  const release = Promise.withResolvers<void>()
  worker.part.file = async ({ account }) => {
    if (account === hanging.account) await release.promise
    return { path: 'Sent', skipped: [] }
  }
  const stuck = await Promise.all([1, 2, 3].map(() => submitWith(hanging.account, null)))
  await eventually(() => stuck.some((queueId) => filedFor(queueId).length > 0))
  for (let n = 0; n < 5; n++) await filed(await submitWith(quick.account, null))
  release.resolve()
  for (const queueId of stuck) await filed(queueId)
})

/** As a sender leaves it that died between the final dot and the record of the answer. */
const ambiguous = {
  worker: randomUUID(),
  attempts: 1,
  leaseUntil: new Date(0),
  dataSentAt: new Date(0),
}

test('a message that a dead sender may have sent is not sent again where it is in Sent', async () => {
  const { account, smtp } = await accountWith({ copy: false })
  worker.part.find = async () => true
  const queueId = await submitWith(account, null, ambiguous)
  await filed(queueId)
  expect(await row(queueId)).toMatchObject({ response: expect.stringContaining('Sent folder') })
  expect(smtp.accepted).toEqual([])
  expect(await eventsOf(account)).toMatchObject([
    {
      event: 'messageSent',
      eventId: sentEventId(queueId),
      data: { queueId, response: expect.stringContaining('Sent folder') },
    },
  ])
})

test('a sender is killed between the final dot and the record: the message that was filed is not sent again', async () => {
  const { account, smtp } = await accountWith({ copy: false })
  const dotted = Promise.withResolvers<void>()
  smtp.behaviour.onData = () => {
    dotted.resolve()
    return 'hang'
  }
  worker.part.find = async ({ messageId }) =>
    smtp.accepted.some((message) => message.messageId === messageId)
  // The one that is killed shall be the one that takes it.
  await replaceSenders()
  const queueId = await submitWith(account, null)
  const doomed = spawn(process.execPath, ['src/main.ts'], {
    cwd: join(import.meta.dirname, '..'),
    stdio: 'ignore',
    env: fixture.env(),
  })
  const ended = once(doomed, 'exit')
  try {
    await dotted.promise
    await eventually(async () => expect((await row(queueId)).dataSentAt).not.toBeNull())
  } finally {
    doomed.kill('SIGKILL')
    await ended
  }
  expect(await row(queueId)).toMatchObject({ state: 'queued', attempts: 1 })
  // Its lease ends.
  await db
    .updateTable('outbox')
    .set({ leaseUntil: new Date(0) })
    .where('queueId', '=', queueId)
    .execute()
  await replaceSenders({})
  await filed(queueId)
  expect(smtp.accepted).toHaveLength(1)
  expect(await eventsOf(account)).toMatchObject([
    { event: 'messageSent', data: { response: expect.stringContaining('Sent folder') } },
  ])
})

test('where it is not found it is sent again with the same bytes', async () => {
  const { account, smtp } = await accountWith({ copy: false })
  const queueId = await submitWith(account, null, ambiguous)
  const { mime } = await row(queueId)
  await filed(queueId)
  expect(worker.asked.find).toContain(`<${queueId}@example.com>`)
  expect(smtp.accepted.map(({ raw }) => raw.toString())).toEqual([mime?.toString()])
})

test('where nobody can look it is sent again after a while', async () => {
  const { account, smtp } = await accountWith({ copy: false, held: false })
  await replaceSenders({ SVC_SENDER_FIND_SENT_TIMEOUT: '1s' })
  const queueId = await submitWith(account, null, ambiguous)
  await filed(queueId)
  expect(smtp.accepted).toHaveLength(1)
  await replaceSenders({})
})

test('where the server files nothing, nobody is asked', async () => {
  const { account, smtp } = await accountWith()
  const queueId = await submitWith(account, null, ambiguous)
  await filed(queueId)
  expect(worker.asked.find).not.toContain(`<${queueId}@example.com>`)
  expect(smtp.accepted).toHaveLength(1)
})

test('what some recipients have says nothing about the others', async () => {
  const { account, smtp } = await accountWith({ copy: false })
  worker.part.find = async () => true
  const queueId = await submitWith(account, null, { ...ambiguous, response: '250 for some' })
  await filed(queueId)
  expect(smtp.accepted).toHaveLength(1)
})

test('a refusal after the final dot leaves nothing to look for; silence does', async () => {
  const { account, smtp } = await accountWith({ copy: false })
  let times = 0
  smtp.behaviour.onData = () => {
    times += 1
    if (times === 1) return { code: 451, text: 'later' }
    return times === 2 ? 'drop' : undefined
  }
  worker.part.find = async () => times >= 2
  const queueId = await submitWith(account, null)
  await filed(queueId)
  expect(times).toBe(2)
  expect(await row(queueId)).toMatchObject({ attempts: 3 })
  expect(worker.asked.find.filter((id) => id === `<${queueId}@example.com>`)).toHaveLength(1)
})
