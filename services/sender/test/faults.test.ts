import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { connectBus } from '@posthorn/bus'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { sql } from 'kysely'
import {
  eventually,
  freePort,
  type SmtpScript,
  type SmtpScriptOptions,
  startSmtpScript,
} from '@posthorn/testkit'
import { senderFixture, sentEventId } from './fixture.ts'

const fixture = await senderFixture()
const { db, startSender, addAccount, submit, row, finished, eventsOf } = fixture
const resources: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of resources.splice(0).reverse()) await part[Symbol.asyncDispose]()
})
afterAll(() => fixture[Symbol.asyncDispose]())

async function sender(env: Record<string, string> = {}): Promise<AsyncDisposable> {
  const started = await startSender(env)
  resources.push(started)
  return started
}

async function server(options: SmtpScriptOptions = {}): Promise<SmtpScript> {
  const started = await startSmtpScript(options)
  resources.push({ [Symbol.asyncDispose]: () => started.close() })
  return started
}

/** Scripted SMTP server for protocol violations, which replies to each line as `reply` returns. */
async function lineServer(reply: (line: string, socket: Socket) => string | undefined) {
  const state = { seen: [] as string[], closed: 0 }
  const { seen } = state
  const sockets = new Set<Socket>()
  const listening = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => state.closed++)
    socket.write('220 hello\r\n')
    let rest = ''
    socket.on('data', (chunk) => {
      const parts = (rest + chunk.toString()).split('\r\n')
      rest = parts.pop() ?? ''
      for (const line of parts) {
        seen.push(line)
        const response = reply(line, socket)
        if (response !== undefined) socket.write(`${response}\r\n`)
      }
    })
  }).listen(await freePort(), '127.0.0.1')
  await once(listening, 'listening')
  resources.push({
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      listening.close()
      await once(listening, 'close')
    },
  })
  return Object.assign(state, {
    host: '127.0.0.1',
    port: (listening.address() as AddressInfo).port,
  })
}

const polite = (line: string): string | undefined =>
  /^(?:EHLO|MAIL|RCPT|RSET)/.test(line)
    ? '250 ok'
    : line === 'DATA'
      ? '354 go on'
      : line === '.'
        ? '250 taken'
        : line === 'QUIT'
          ? '221 bye'
          : undefined
/** Revokes or restores the right to update the outbox. As with a full disk, reading still works. */
const writable = async (yes: boolean): Promise<void> => {
  await (
    yes
      ? sql`grant update on outbox to posthorn_sender`
      : sql`revoke update on outbox from posthorn_sender`
  ).execute(db)
}

test('HandoverIntent: lease lost during DATA, never sends the end of data', async () => {
  const account = await addAccount({ host: 'later', port: 1 })
  let queueId = ''
  const smtp = await lineServer((line, socket) => {
    if (line !== 'DATA') return polite(line)
    // Another sender claims the outbox row before the 354: no intent record can be written.
    void steal(queueId).then(() => socket.write('354 go on\r\n'))
    return undefined
  })
  await db
    .updateTable('accounts')
    .set({
      smtp: JSON.stringify({
        host: smtp.host,
        port: smtp.port,
        tls: { rejectUnauthorized: false },
      }),
    })
    .where('account', '=', account)
    .execute()
  queueId = await submit({ account, mime: Buffer.alloc(2_000_000, 'line of text\r\n') })
  await sender()
  await eventually(() => smtp.seen.includes('DATA'))
  await eventually(async () =>
    expect(await row(queueId)).toMatchObject({ state: 'queued', attempts: 2, dataSentAt: null }),
  )
  // The SMTP connection is closed: no more commands arrive.
  await eventually(() => smtp.closed > 0)
  expect(smtp.seen).not.toContain('.')
  expect(await eventsOf(account)).toEqual([])
})

test('HandoverIntent: Postgres read-only, sends no end of data and retries later', async () => {
  const smtp = await lineServer((line, socket) => {
    if (line !== 'DATA' || smtp.seen.filter((seen) => seen === 'DATA').length > 1)
      return polite(line)
    void writable(false).then(() => socket.write('354 go on\r\n'))
    return undefined
  })
  const account = await addAccount(smtp)
  await sender()
  const queueId = await submit({ account })
  try {
    await eventually(() => smtp.seen.includes('Hello'))
    await eventually(() => smtp.closed > 0)
    expect(smtp.seen).not.toContain('.')
  } finally {
    await writable(true)
  }
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
  expect(smtp.seen.filter((line) => line === '.')).toHaveLength(1)
})

test('OutcomeRecorder: failing write, retries until the outcome is recorded', async () => {
  // The test counts failed writes with a Postgres sequence, because sequences are not rolled back.
  await sql`create sequence refused`.execute(db)
  await sql`create function refuse() returns trigger language plpgsql security definer as
    'begin perform nextval(''refused''); raise exception ''disk full''; end'`.execute(db)
  await sql`create trigger refuse before update on outbox for each row when (new.state = 'sent') execute function refuse()`.execute(
    db,
  )
  const smtp = await server()
  const account = await addAccount(smtp)
  await sender()
  const queueId = await submit({ account })
  try {
    await eventually(async () => {
      const { rows } = await sql<{
        tries: number
      }>`select last_value::int as tries from refused`.execute(db)
      expect(rows[0]?.tries).toBeGreaterThan(2)
    })
    expect(await eventsOf(account)).toEqual([])
  } finally {
    await sql`drop trigger refuse on outbox`.execute(db)
  }
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 1 })
  expect((await eventsOf(account)).map(({ event }) => event)).toEqual(['messageSent'])
  expect(smtp.accepted).toHaveLength(1)
})

async function steal(queueId: string): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ worker: randomUUID(), attempts: 2, leaseUntil: new Date(Date.now() + 3_600_000) })
    .where('queueId', '=', queueId)
    .execute()
}

test('sender: two replicas, send each message once', async () => {
  const smtp = await server()
  const accounts = await Promise.all(Array.from({ length: 6 }, () => addAccount(smtp)))
  const ids = await Promise.all(
    accounts.flatMap((account) => Array.from({ length: 20 }, () => submit({ account }))),
  )
  await Promise.all([sender(), sender()])
  for (const id of ids) await finished(id)
  expect(smtp.accepted.map(({ messageId }) => messageId).sort()).toEqual(
    ids.map((id) => `<${id}@example.com>`).sort(),
  )
})

test('sender: without hints, polls due submissions', async () => {
  const smtp = await server()
  await sender()
  const queueId = await submit({ account: await addAccount(smtp) })
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
})

test('sender: hint, triggers a poll before the interval ends', async () => {
  const smtp = await server()
  await sender({ SVC_SENDER_SWEEP: '1h' })
  await using bus = await connectBus({
    url: fixture.broker.url,
    name: 'test',
    log: createLogger('test', 'silent'),
    metrics: createMetrics('test'),
  })
  await bus.whenUp()
  const queueId = await submit({ account: await addAccount(smtp) })
  await bus.publishHint('sender.submissions', { queueId })
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
})

test('sender: without RabbitMQ, sends messages and stores their events', async () => {
  const smtp = await server()
  await sender({ AMQP_URL: 'amqp://127.0.0.1:1' })
  const account = await addAccount(smtp)
  const queueId = await submit({ account })
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
  expect(await eventsOf(account)).toMatchObject([
    { event: 'messageSent', eventId: sentEventId(queueId) },
  ])
})

test('sender: expired lease of a dead replica, takes the submission over', async () => {
  const smtp = await server()
  const queueId = await submit({ account: await addAccount(smtp) })
  const leaseUntil = new Date(Date.now() + 700)
  await db
    .updateTable('outbox')
    .set({ worker: randomUUID(), attempts: 1, leaseUntil, attemptStartedAt: new Date() })
    .where('queueId', '=', queueId)
    .execute()
  await sender()
  expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 2 })
  expect(smtp.accepted[0]?.receivedAt.getTime()).toBeGreaterThanOrEqual(leaseUntil.getTime())
})

test('dispatcher: attempts used up and an unknown outcome, looks for the message and fails it', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const queueId = await submit({ account, maxAttempts: 3 })
  const past = new Date(Date.now() - 1_000)
  await db
    .updateTable('outbox')
    .set({ worker: randomUUID(), attempts: 3, leaseUntil: past, dataSentAt: past })
    .where('queueId', '=', queueId)
    .execute()
  await sender()
  // The fourth sending attempt searches the Sent mailbox once and sends nothing.
  expect(await finished(queueId)).toMatchObject({ state: 'failed', attempts: 4 })
  expect((await eventsOf(account)).map(({ event, data }) => [event, data['error']])).toEqual([
    ['messageDeliveryError', expect.stringContaining('may have been delivered')],
    ['messageFailed', expect.stringContaining('may have been delivered')],
  ])
  expect(smtp.accepted).toEqual([])
})

test('dispatcher: silent server, delays only its own account', async () => {
  const silent = await lineServer(() => undefined)
  const smtp = await server()
  const stuck = await addAccount(silent)
  const responsive = await addAccount(smtp)
  for (let n = 0; n < 30; n++) await submit({ account: stuck })
  const ids = await Promise.all(Array.from({ length: 20 }, () => submit({ account: responsive })))
  await sender({ SVC_SENDER_CONCURRENCY: '8' })
  for (const id of ids) expect(await finished(id)).toMatchObject({ state: 'sent', attempts: 1 })
  const { length: started } = await db
    .selectFrom('outbox')
    .select('queueId')
    .where('account', '=', stuck)
    .where('attempts', '>', 0)
    .execute()
  expect(started).toBe(5)
})

test('dispatcher: unreachable server, waiting submissions keep their attempts', async () => {
  const smtp = await server({ port: await freePort() })
  const account = await addAccount(smtp)
  await smtp.close()
  const ids = await Promise.all(Array.from({ length: 20 }, () => submit({ account })))
  await sender({ SVC_SENDER_RETRY_BASE: '1s' })
  await eventually(async () => expect(await eventsOf(account)).not.toEqual([]))
  await smtp.open()
  for (const id of ids) expect(await finished(id)).toMatchObject({ state: 'sent' })
  const { attempts } = await db
    .selectFrom('outbox')
    .select(({ fn }) => fn.sum<string>('attempts').as('attempts'))
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  // Five submissions were in flight at the SMTP server's first failure, then one probe at a time.
  expect(Number(attempts)).toBeLessThanOrEqual(20 + 5 + 5)
})

test('SmtpSession: no reply to a command, times out and names the command', async () => {
  const cases: [step: RegExp, command: string][] = [
    [/^EHLO/, 'EHLO'],
    [/^MAIL/, 'MAIL FROM'],
    [/^DATA/, 'MAIL FROM'],
    [/^\.$/, 'DATA'],
  ]
  await sender({
    // SMTP timeouts that are long enough for the answered commands on a busy machine.
    SVC_SMTP_GREETING_TIMEOUT: '30s',
    SVC_SMTP_COMMAND_TIMEOUT: '30s',
    SVC_SMTP_DATA_TIMEOUT: '30s',
  })
  const accounts = await Promise.all(
    cases.map(async ([step]) => {
      const account = await addAccount(
        await lineServer((line) => (step.test(line) ? undefined : polite(line))),
      )
      await submit({ account, maxAttempts: 1 })
      return account
    }),
  )
  for (const [index, account] of accounts.entries()) {
    const [error] = await eventually(async () =>
      (await eventsOf(account)).length === 2 ? eventsOf(account) : false,
    )
    expect(error?.data).toMatchObject({ errorCode: 'ETIMEDOUT', smtpCommand: cases[index]?.[1] })
  }
})

test('HandoverStream: reply before the end of data, is not an acceptance', async () => {
  const early = await lineServer((line) =>
    line === 'DATA' ? '354 go on\r\n250 taken already' : polite(line),
  )
  await sender()
  const account = await addAccount(early)
  const queueId = await submit({
    account,
    maxAttempts: 1,
    mime: Buffer.alloc(4_000_000, 'line of text\r\n'),
  })
  expect(await finished(queueId)).toMatchObject({ state: 'failed', response: null })
})

test('sender: disposal, releases before the handover and finishes after it', async () => {
  let release: (() => void) | undefined
  const hanging = await lineServer((line) => (line === 'DATA' ? undefined : polite(line)))
  const slow = await lineServer((line, socket) => {
    if (line !== '.') return polite(line)
    release = () => socket.write('250 taken\r\n')
    return undefined
  })
  const [early, late] = await Promise.all([addAccount(hanging), addAccount(slow)])
  const ids = { early: await submit({ account: early }), late: await submit({ account: late }) }
  const stopping = await startSender()
  await eventually(() => release !== undefined && hanging.seen.includes('DATA'))
  const stopped = stopping[Symbol.asyncDispose]()
  await eventually(async () =>
    expect(await row(ids.early)).toMatchObject({ state: 'queued', attempts: 0, worker: null }),
  )
  release?.()
  await stopped
  expect(await row(ids.late)).toMatchObject({ state: 'sent', attempts: 1 })
})

test('SmtpSession: self-signed certificate, sends no mail', async () => {
  const smtp = await server()
  const account = await addAccount(smtp, { tls: {} })
  await sender()
  const queueId = await submit({ account, maxAttempts: 1 })
  expect(await finished(queueId)).toMatchObject({
    state: 'failed',
    lastError: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  })
  expect(smtp.accepted).toEqual([])
})

test('SmtpSession: server on loopback, may lack STARTTLS', async () => {
  const plain = await lineServer(polite)
  await sender()
  const queueId = await submit({ account: await addAccount(plain, { tls: {} }) })
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
})

test('SmtpTransport: idle session closed by the server, costs no attempt', async () => {
  const sockets: Socket[] = []
  const smtp = await lineServer((line, socket) => {
    if (line.startsWith('EHLO')) sockets.push(socket)
    // The second message on an SMTP session finds the session closed by the server.
    const mails = smtp.seen.filter((seen) => seen.startsWith('MAIL')).length
    if (line.startsWith('MAIL') && mails === 2) {
      socket.destroy()
      return undefined
    }
    return polite(line)
  })
  const account = await addAccount(smtp)
  await sender()
  await finished(await submit({ account }))
  const second = await submit({ account })
  expect(await finished(second)).toMatchObject({ state: 'sent', attempts: 1 })
  expect(sockets).toHaveLength(2)
  const events = (await eventsOf(account)).map(({ event }) => event)
  expect(events).toEqual(['messageSent', 'messageSent'])
})
