import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually, startSmtpScript } from '@posthorn/testkit'
import { sql } from 'kysely'
import { senderFixture } from './fixture.ts'
import { type PostgresLink, postgresLink } from './postgres-link.ts'

const fixture = await senderFixture()
const { db, startSender, addAccount, submit, finished, eventsOf } = fixture
const resources: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of resources.splice(0).reverse()) await part[Symbol.asyncDispose]()
})
afterAll(() => fixture[Symbol.asyncDispose]())

/**
 * Lease shorter than the 15 s after which a silent sender counts as ended. Longer than a pause of a
 * busy machine, in which an attempt would lose its lease before the end of data.
 */
const lease = { SVC_SENDER_LEASE: '10s', SVC_SENDER_SWEEP: '300ms' }

async function link(): Promise<PostgresLink> {
  const opened = await postgresLink(fixture.env().DATABASE_URL)
  resources.push(opened)
  return opened
}

/** Starts a sender and waits for its heartbeat. Returns the sender's id. */
async function start(env: Record<string, string>): Promise<string> {
  const before = await ids()
  resources.push(await startSender({ ...lease, ...env }))
  return eventually(async () => (await ids()).find((id) => !before.includes(id)) ?? null)
}

async function ids(): Promise<string[]> {
  const rows = await db.selectFrom('senders').select('id').execute()
  return rows.map(({ id }) => id)
}

/**
 * Waits until the leases of all outbox rows have expired, and the heartbeats of senders are
 * `seconds` old.
 */
async function untilSilent(senders: string[], seconds: number): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await sql<{ silent: boolean }>`select
        not exists (select from outbox where state = 'queued' and lease_until > now())
        and not exists (select from senders where id = any(${sql.val(senders)}::uuid[])
          and heartbeat_at > now() - make_interval(secs => ${seconds})) as silent`.execute(db)
      return rows[0]?.silent === true
    },
    { timeoutMs: 240_000 },
  )
}

/** SMTP server whose replies to the end of data wait until `release`. */
async function holdingServer() {
  const smtp = await startSmtpScript()
  resources.push({ [Symbol.asyncDispose]: () => smtp.close() })
  const released = Promise.withResolvers<void>()
  const ends = { count: 0 }
  smtp.on('dot', async () => {
    ends.count++
    await released.promise
    return undefined
  })
  return { smtp, ends, release: () => released.resolve() }
}

/**
 * Submits five messages of one account. Resolves when the SMTP server has the content of all
 * messages.
 */
async function submitFive({ smtp, ends }: Awaited<ReturnType<typeof holdingServer>>) {
  const account = await addAccount(smtp)
  const queueIds = await Promise.all(Array.from({ length: 5 }, () => submit({ account })))
  await eventually(() => expect(ends.count).toBe(5))
  return { account, queueIds }
}

test('HolderCheck: sender that alone cannot reach Postgres beyond lease and heartbeat, its messages are sent once', async () => {
  const server = await holdingServer()
  const way = await link()
  const holder = await start({ DATABASE_URL: way.url })
  const { account, queueIds } = await submitFive(server)
  await start({})
  way.fail('reset')
  server.release()
  await eventually(() => expect(server.smtp.accepted).toHaveLength(5))
  // The other sender has checked several times, since the silence of 15 s, whether the silent
  // sender has ended.
  await untilSilent([holder], 25)
  expect(server.ends.count).toBe(5)
  way.restore()
  for (const queueId of queueIds)
    expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 1 })
  expect(server.ends.count).toBe(5)
  expect((await eventsOf(account)).map(({ event }) => event)).toEqual(
    queueIds.map(() => 'messageSent'),
  )
}, 400_000)

test('HolderCheck: Postgres frozen for two senders beyond lease and heartbeat, messages are sent once', async () => {
  const server = await holdingServer()
  const [first, second] = [await link(), await link()]
  const holder = await start({ DATABASE_URL: first.url })
  const { account, queueIds } = await submitFive(server)
  const other = await start({ DATABASE_URL: second.url })
  first.fail('freeze')
  second.fail('freeze')
  server.release()
  await eventually(() => expect(server.smtp.accepted).toHaveLength(5))
  await untilSilent([holder, other], 16)
  // The second sender reaches Postgres again before the first sender.
  second.restore()
  await eventually(async () => {
    const { rows } = await sql<{ isBack: boolean }>`select heartbeat_at > now()
      - interval '15 s' as "isBack" from senders where id = ${other}::uuid`.execute(db)
    return rows[0]?.isBack === true
  })
  first.restore()
  for (const queueId of queueIds)
    expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 1 })
  expect(server.ends.count).toBe(5)
  expect((await eventsOf(account)).map(({ event }) => event)).toEqual(
    queueIds.map(() => 'messageSent'),
  )
}, 400_000)
