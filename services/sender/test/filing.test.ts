import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import type { Filing } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { eventually, serviceProgram, type SmtpScript, startSmtpScript } from '@posthorn/testkit'
import { senderFixture, sentEventId } from './fixture.ts'
import { mailboxWorker } from './mailbox-worker.ts'

const fixture = await senderFixture()
const { db, startSender, submit, row, eventsOf } = fixture
const senders = await Promise.all([startSender(), startSender()])
/** Stops all sender processes and starts a sender with other environment variables. */
async function replaceSenders(env?: Record<string, string>): Promise<void> {
  for (const sender of senders.splice(0)) await sender[Symbol.asyncDispose]()
  if (env) senders.push(await startSender(env))
}
const worker = await mailboxWorker(fixture.broker.url)
const servers: SmtpScript[] = []
afterEach(async () => {
  delete worker.replies.file
  delete worker.replies.find
  await Promise.all(servers.splice(0).map((server) => server.close()))
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  for (const sender of senders) await sender[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const servedShards = new Set<number>()
async function serve(account: string): Promise<void> {
  servedShards.add(shardOf(account))
  await worker.serve(account)
}

/** Adds an account with a mailbox that the sync-worker serves unless `served` is false. */
async function accountWith(
  options: { copy?: boolean; imap?: object | null; served?: boolean } = {},
) {
  const smtp = await startSmtpScript()
  servers.push(smtp)
  let account = await fixture.addAccount(smtp)
  // Accounts may share a shard (group of accounts), so another account is tried.
  while (options.served === false && servedShards.has(shardOf(account)))
    account = await fixture.addAccount(smtp)
  const imap = options.imap === undefined ? { host: 'imap.example.com', port: 993 } : options.imap
  await db
    .updateTable('accounts')
    .set({ imap: imap && JSON.stringify(imap), copy: options.copy ?? null })
    .where('account', '=', account)
    .execute()
  if (options.served !== false) await serve(account)
  return { smtp, account }
}

/**
 * Inserts a submission with a later send time, changes columns of the submission, then makes the
 * submission due.
 */
async function submitWith(account: string, filing: Filing | null, more: object = {}) {
  const queueId = await submit({ account, sendAt: new Date(Date.now() + 3_600_000) })
  await db
    .updateTable('outbox')
    .set({ filing: filing && JSON.stringify(filing), nextAttemptAt: new Date(0), ...more })
    .where('queueId', '=', queueId)
    .execute()
  return queueId
}
const filingsOf = (queueId: string) =>
  worker.requests.file.filter((request) => request.queueId === queueId)
const filed = (queueId: string) =>
  eventually(async () =>
    expect(await row(queueId)).toMatchObject({ state: 'sent', filingNextAt: null, mime: null }),
  )

test('Filer: sent message, requests a Sent copy and keeps the bytes until then', async () => {
  const { account } = await accountWith()
  let storedMime: Buffer | null = null
  worker.replies.file = async ({ queueId }) => {
    storedMime = (await row(queueId)).mime
    return { path: 'Sent', skipped: [] }
  }
  const queueId = await submitWith(account, null)
  await filed(queueId)
  expect(filingsOf(queueId)).toEqual([
    { account, queueId, messageId: `<${queueId}@example.com>`, copy: true },
  ])
  expect(String(storedMime)).toContain('Subject: Test')
  expect(await eventsOf(account)).toHaveLength(1)
})

test('Filer: submission with reference and draft, files them without a copy', async () => {
  const { account } = await accountWith({ copy: false })
  const reference = { message: 'AAAA', action: 'reply' as const }
  const queueId = await submitWith(account, { reference, draft: 'BBBB' })
  await filed(queueId)
  expect(filingsOf(queueId)).toMatchObject([{ copy: false, reference, draft: 'BBBB' }])
})

test.each([
  ['account without IMAP', { imap: null }],
  ['disabled IMAP', { imap: { disabled: true } }],
  ['copy: false', { copy: false }],
])('Filer: %s, requests nothing', async (_, options) => {
  const { account } = await accountWith(options)
  const queueId = await submitWith(account, null)
  await filed(queueId)
  expect(filingsOf(queueId)).toEqual([])
})

test('Filer: unavailable mailbox, retries without sending again', async () => {
  const { account, smtp } = await accountWith({ served: false })
  const queueId = await submitWith(account, null)
  await eventually(async () =>
    expect(await row(queueId)).toMatchObject({ filingError: expect.any(String) }),
  )
  let times = 0
  worker.replies.file = async () => {
    if (++times < 3) throw new AppError('unavailable', 'not now', { code: 'ConnectionError' })
    return { path: 'Sent', skipped: [] }
  }
  await serve(account)
  await filed(queueId)
  expect(times).toBe(3)
  expect(smtp.accepted).toHaveLength(1)
  expect((await eventsOf(account)).map(({ event }) => event)).toEqual(['messageSent'])
})

test('Filer: permanent error, stores it and does not retry', async () => {
  const { account } = await accountWith()
  worker.replies.file = async () => {
    throw new AppError('not-found', 'The folder does not exist', { code: 'FolderNotFound' })
  }
  const queueId = await submitWith(account, null)
  await filed(queueId)
  expect(await row(queueId)).toMatchObject({ filingError: 'The folder does not exist' })
  expect(filingsOf(queueId)).toHaveLength(1)
})

test('Filer: filing older than the maximum age, fails permanently', async () => {
  const { account } = await accountWith({ served: false })
  const queueId = await submitWith(account, null, {
    state: 'sent',
    finishedAt: new Date(Date.now() - 24 * 3_600_000),
    filingNextAt: new Date(0),
  })
  await filed(queueId)
  expect(await row(queueId)).toMatchObject({ filingError: expect.stringMatching(/worker/i) })
})

test('Filer: hanging mailbox, does not delay other accounts', async () => {
  const hanging = await accountWith()
  const responsive = await accountWith()
  const release = Promise.withResolvers<void>()
  worker.replies.file = async ({ account }) => {
    if (account === hanging.account) await release.promise
    return { path: 'Sent', skipped: [] }
  }
  const stuck = await Promise.all([1, 2, 3].map(() => submitWith(hanging.account, null)))
  await eventually(() => stuck.some((queueId) => filingsOf(queueId).length > 0))
  for (let n = 0; n < 5; n++) await filed(await submitWith(responsive.account, null))
  release.resolve()
  for (const queueId of stuck) await filed(queueId)
})

/** Columns of an outbox row whose sender died between the end of data and the recorded reply. */
const unknownOutcome = {
  worker: randomUUID(),
  attempts: 1,
  leaseUntil: new Date(0),
  dataSentAt: new Date(0),
}

test('findSentCopy: unknown outcome with a Sent copy, does not send again', async () => {
  const { account, smtp } = await accountWith({ copy: false })
  worker.replies.find = async () => true
  const queueId = await submitWith(account, null, unknownOutcome)
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

test('findSentCopy: sender killed after the end of data, does not send a filed message again', async () => {
  const { account, smtp } = await accountWith({ copy: false })
  const reachedEndOfData = Promise.withResolvers<void>()
  smtp.behaviour.onData = () => {
    reachedEndOfData.resolve()
    return 'hang'
  }
  worker.replies.find = async ({ messageId }) =>
    smtp.accepted.some((message) => message.messageId === messageId)
  // The sender process to be killed must be the only sender.
  await replaceSenders()
  const queueId = await submitWith(account, null)
  const doomed = spawn(process.execPath, serviceProgram('sender'), {
    stdio: 'ignore',
    env: fixture.env(),
  })
  const ended = once(doomed, 'exit')
  try {
    await reachedEndOfData.promise
    await eventually(async () => expect((await row(queueId)).dataSentAt).not.toBeNull())
  } finally {
    doomed.kill('SIGKILL')
    await ended
  }
  expect(await row(queueId)).toMatchObject({ state: 'queued', attempts: 1 })
  // Expires the outbox lease of the submission.
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

test('findSentCopy: no Sent copy, sends the same bytes again', async () => {
  const { account, smtp } = await accountWith({ copy: false })
  const mime = Buffer.from('From: me@example.com\r\nSubject: Again\r\n\r\nHello\r\n..\r\n')
  const queueId = await submitWith(account, null, { ...unknownOutcome, mime })
  await filed(queueId)
  expect(worker.requests.find).toContain(`<${queueId}@example.com>`)
  expect(smtp.accepted.map(({ raw }) => raw.toString())).toEqual([mime.toString()])
})

test('findSentCopy: mailbox unavailable, sends again after the timeout', async () => {
  const { account, smtp } = await accountWith({ copy: false, served: false })
  await replaceSenders({ SVC_SENDER_FIND_SENT_TIMEOUT: '1s' })
  const queueId = await submitWith(account, null, unknownOutcome)
  await filed(queueId)
  expect(smtp.accepted).toHaveLength(1)
  await replaceSenders({})
})

test('findSentCopy: server that files nothing, is not called', async () => {
  const { account, smtp } = await accountWith()
  const queueId = await submitWith(account, null, unknownOutcome)
  await filed(queueId)
  expect(worker.requests.find).not.toContain(`<${queueId}@example.com>`)
  expect(smtp.accepted).toHaveLength(1)
})

test('findSentCopy: partly sent message, is not called', async () => {
  const { account, smtp } = await accountWith({ copy: false })
  worker.replies.find = async () => true
  const queueId = await submitWith(account, null, { ...unknownOutcome, response: '250 for some' })
  await filed(queueId)
  expect(smtp.accepted).toHaveLength(1)
})

test('findSentCopy: called after a lost reply, not after a rejection', async () => {
  const { account, smtp } = await accountWith({ copy: false })
  let times = 0
  smtp.behaviour.onData = () => {
    times += 1
    if (times === 1) return { code: 451, text: 'later' }
    return times === 2 ? 'drop' : undefined
  }
  worker.replies.find = async () => times >= 2
  const queueId = await submitWith(account, null)
  await filed(queueId)
  expect(times).toBe(2)
  expect(await row(queueId)).toMatchObject({ attempts: 3 })
  expect(worker.requests.find.filter((id) => id === `<${queueId}@example.com>`)).toHaveLength(1)
})
