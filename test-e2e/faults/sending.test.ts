import { afterAll, afterEach, expect, test } from '@jest/globals'
import { withClient } from '@posthorn/local/postgres/client'
import {
  eventually,
  faultSize,
  isFullFaultRun,
  freePort,
  smtpFaults,
  type SmtpHook,
  type SmtpMoment,
  startSmtpScript,
} from '@posthorn/testkit'
import { productionIntervals } from '../intervals.ts'
import { startWorld } from '../world.ts'
import {
  addSender,
  listHandedOver,
  outboxRow,
  listDuplicates,
  type Submitted,
  submit,
  submitMany,
  untilArrived,
} from './sending-job.ts'
import { findDuplicateEvents } from './main-job.ts'

const world = await startWorld({
  servers: 'own',
  names: ['api-gateway', 'auth-bridge', 'sync-worker', 'sender', 'webhook-dispatcher'],
  // No message arrives at the accounts.
  env: { SVC_QUICK_ROUND_INTERVAL: productionIntervals.SVC_QUICK_ROUND_INTERVAL },
})
const sink = await startSmtpScript({ port: await freePort() })
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})
const { postgres, rabbit } = world
if (!postgres || !rabbit) throw new Error('the world must have its own servers')
const moments = ['greeting', 'MAIL', 'RCPT', 'DATA', 'body', 'dot'] as const
/** Cleanups of tests, which also run after a failed test. */
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const moment of moments) sink.on(moment, undefined)
  for (const release of cleanups.splice(0)) await release()
  sink.accepted.length = 0
})
const accounts = await Promise.all(
  Array.from({ length: faultSize({ small: 3, full: 6 }) }, (_, n) =>
    addSender(world, sink, `sender-${n}`),
  ),
)
const [account = ''] = accounts
/** Number of kills of the sender, and of messages per kill. */
const kills = faultSize({ small: 2, full: 8 })
const messagesPerKill = faultSize({ small: 60, full: 100 })
/** Number of messages that are sent while Postgres or RabbitMQ is restarted. */
const restartMessages = faultSize({ small: 60, full: 300 })

const untilSentEvent = ({ queueId }: Submitted) =>
  world.webhook(({ event, data }) => event === 'messageSent' && data.queueId === queueId)
/** Kills the sender and expires its leases on outbox rows, except the leases of locked rows. */
const killSender = async () => {
  await world.services.kill('sender')
  await expireLeases()
}
const expireLeases = () =>
  withClient(world.ownerUrl, (client) =>
    client.query(
      `update outbox set lease_until = now() where queue_id in
        (select queue_id from outbox where lease_until is not null for update skip locked)`,
    ),
  )
/** Restarts the sender, which then has no SMTP session: the next message begins with a greeting. */
const restartSender = async () => {
  await killSender()
  await world.services.start('sender')
}

test(
  'sender killed repeatedly while sending: all messages arrive, duplicates only of messages in handover',
  async () => {
    // The SMTP server is slow enough that every kill of the sender finds messages to send.
    sink.on('dot', smtpFaults.slow(80))
    const submitting = submitMany(world, accounts, kills * messagesPerKill)
    const marked = new Set<string>()
    for (let kill = 0; kill < kills; kill++) {
      const next = sink.accepted.length + Math.ceil(Math.random() * 40)
      await eventually(() => sink.accepted.length >= next, { timeoutMs: 120_000 })
      await killSender()
      for (const messageId of await listHandedOver(world)) marked.add(messageId)
      await world.services.start('sender')
    }
    sink.on('dot', undefined)
    const submitted = await submitting
    await untilArrived(sink, submitted)
    await eventually(async () => expect(await countQueued()).toBe(0))
    const twice = listDuplicates(sink)
    process.stdout.write(
      `${kills} kills, ${submitted.length} messages, ${marked.size} in handover at a kill, ${twice.length} duplicates\n`,
    )
    expect(new Set(sink.accepted.map(({ messageId }) => messageId)).size).toBe(
      kills * messagesPerKill,
    )
    expect(twice.filter(({ messageId, same }) => !marked.has(messageId) || !same)).toEqual([])
    expect(findDuplicateEvents(world.webhooks())).toEqual([])
  },
  120_000 + kills * 60_000,
)

/** Kills the sender once at a moment of an SMTP session. */
function killsAt(then: SmtpHook = smtpFaults.closes): SmtpHook {
  return smtpFaults.times(1, async (command) => {
    const answer = await then(command)
    await killSender()
    return answer
  })
}

/** Lets the SMTP server store the message and close the connection without a reply. */
const storesThenCloses: SmtpHook = async (command) => {
  await command.defaultReply()
  return { raw: '', then: 'close' }
}

test.each([
  {
    when: 'before the greeting, with the claim committed',
    moment: 'greeting',
    hook: killsAt(),
    copies: 1,
  },
  { when: 'at MAIL', moment: 'MAIL', hook: killsAt(), copies: 1 },
  { when: 'at RCPT', moment: 'RCPT', hook: killsAt(), copies: 1 },
  { when: 'while the message is transmitted', moment: 'body', hook: killsAt(), copies: 1 },
  { when: 'after the end of data, not stored', moment: 'dot', hook: killsAt(), copies: 1 },
  {
    when: 'after the end of data, stored',
    moment: 'dot',
    hook: killsAt(storesThenCloses),
    copies: 2,
  },
] as const)(
  'sender killed $when: sends the message again with the same Message-ID',
  async ({ moment, hook, copies }) => {
    // Only the kill at the greeting needs a new SMTP session. A session that has sent messages
    // before reaches the other moments as well.
    if (moment === 'greeting' || isFullFaultRun) await restartSender()
    sink.on(moment, hook)
    const submitted = await submit(world, account, { text: 'line\n'.repeat(20_000) })
    await eventually(() =>
      expect(() => process.kill(world.services.pids['sender'] ?? 0, 0)).toThrow(),
    )
    await world.services.start('sender')
    await untilSentEvent(submitted)
    expect(sink.accepted.map(({ messageId }) => messageId)).toEqual(
      Array.from({ length: copies }, () => submitted.messageId),
    )
    expect(listDuplicates(sink).filter(({ same }) => !same)).toEqual([])
    expect(await outboxRow(world, submitted.queueId)).toMatchObject({ state: 'sent', attempts: 2 })
  },
)

/**
 * Locks the outbox row of a submission from a moment of the SMTP session on, so that the sender's
 * updates wait.
 */
function lockRowAt(moment: SmtpMoment) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: submitted, resolve: setId } = Promise.withResolvers<string>()
  let lock: Promise<void> | undefined
  sink.on(
    moment,
    smtpFaults.times(1, async (command) => {
      const queueId = await submitted
      await new Promise<void>((locked, failed) => {
        lock = withClient(world.ownerUrl, async (client) => {
          await client.query('begin')
          await client.query('select 1 from outbox where queue_id = $1 for update', [queueId])
          locked()
          await released
          await client.query('rollback')
        })
        lock.catch(failed)
      })
      return command.defaultReply()
    }),
  )
  const unlock = async () => {
    release()
    await lock
  }
  cleanups.push(unlock)
  return { setId, release: unlock }
}

test('sender killed with data_sent_at committed and the end of data not sent: sends the message once', async () => {
  // In an SMTP session that has sent messages before, the sender writes the intent record with the
  // envelope.
  await restartSender()
  const row = lockRowAt('DATA')
  const submitted = await submit(world, account)
  row.setId(submitted.queueId)
  await eventually(async () => expect(await countWaiting('%set data_sent_at = now()%')).toBe(1))
  // The sender is paused, so that Postgres commits the intent record before the sender reads the
  // result.
  world.services.get('sender').pause()
  await row.release()
  await eventually(async () =>
    expect((await outboxRow(world, submitted.queueId))?.data_sent_at).not.toBeNull(),
  )
  await killSender()
  expect(sink.accepted).toHaveLength(0)
  await world.services.start('sender')
  await untilSentEvent(submitted)
  expect(sink.accepted).toHaveLength(1)
})

test('sender killed between the reply 250 and its record: the next sender records the reply, sends the message once', async () => {
  const row = lockRowAt('dot')
  const submitted = await submit(world, account)
  row.setId(submitted.queueId)
  await eventually(async () => expect(await countWaiting("%state = 'sent'%")).toBe(1))
  await killSender()
  await row.release()
  expect(await outboxRow(world, submitted.queueId)).toMatchObject({ state: 'queued' })
  await expireLeases()
  await world.services.start('sender')
  await untilSentEvent(submitted)
  expect(listDuplicates(sink)).toEqual([])
})

test('sender killed after the record and before the event: emits messageSent once, sends the message once', async () => {
  sink.on(
    'dot',
    smtpFaults.times(1, async (command) => {
      rabbit.pause()
      cleanups.push(async () => rabbit.resume())
      return command.defaultReply()
    }),
  )
  const submitted = await submit(world, account)
  await eventually(async () =>
    expect(await outboxRow(world, submitted.queueId)).toMatchObject({ state: 'sent' }),
  )
  await killSender()
  rabbit.resume()
  await world.services.start('sender')
  await untilSentEvent(submitted)
  expect(sink.accepted).toHaveLength(1)
  expect(findDuplicateEvents(world.webhooks())).toEqual([])
})

test('SMTP server unavailable for a while: receives every message once after its return', async () => {
  await sink.close()
  const closedAt = Date.now()
  const submitted = await submitMany(world, accounts, 30)
  const failed = await world.webhook(
    ({ event, data }) =>
      event === 'messageDeliveryError' && submitted.some(({ queueId }) => queueId === data.queueId),
  )
  expect(Date.parse(failed.data.job.nextAttempt)).toBeGreaterThan(closedAt)
  await sink.open()
  await untilArrived(sink, submitted)
  expect(listDuplicates(sink)).toEqual([])
})

test.each([
  ['Postgres restarted', () => postgres.restart()],
  ['Postgres killed', async () => (await postgres.kill(), postgres.restart())],
  ['RabbitMQ restarted', () => rabbit.restart()],
])('%s while sending: no message is lost', async (_name, fault) => {
  sink.on('dot', smtpFaults.slow(30))
  const submitted = await submitMany(world, accounts, restartMessages)
  await eventually(() => sink.accepted.length > 20)
  await fault()
  await untilArrived(sink, submitted)
  await eventually(async () => expect(await countQueued()).toBe(0))
  const twice = listDuplicates(sink)
  process.stdout.write(`${submitted.length} messages, ${twice.length} came twice\n`)
  expect(twice.filter(({ same }) => !same)).toEqual([])
})

async function count(query: string, values: unknown[] = []): Promise<number> {
  const { rows } = await withClient(world.ownerUrl, (client) =>
    client.query<{ count: number }>(query, values),
  )
  return rows[0]?.count ?? -1
}

const countQueued = () => count("select count(*)::int from outbox where state = 'queued'")
/** Number of SQL statements that match a pattern and wait for a row lock. */
const countWaiting = (like: string) =>
  count(
    "select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and query ilike $1",
    [like],
  )
