import { connect, type Socket } from 'node:net'
import { operations } from '@posthorn/contracts/operations'
import { withClient } from '@posthorn/local/postgres/client'
import { createTransport } from 'nodemailer'
import { untilConnected, type World } from '../world.ts'
import { callApi } from './call-api.ts'
import { type Counter, startCounter } from './counter.ts'
import { perSecond, percentile, type Row } from './report.ts'

const count = 1_000
const atOnce = 16
/** Number of connections that the sender opens for one account. */
const connections = 5
const scheduled = 1_000_000
/** Number of submissions per SQL statement, so that no statement reaches the timeout of 60 s. */
const scheduledPerStatement = 50_000
const message = { subject: 'Bench', text: 'Hello '.repeat(150) }

type Server = Parameters<typeof createTransport>[0] & object

/**
 * Measures submissions through the API and their rate at the receiving SMTP server, with an empty
 * and a full outbox.
 */
export async function benchSending(world: World): Promise<Row[]> {
  await using sink = await startCounter('sink-main.ts')
  const smtp = {
    host: '127.0.0.1',
    port: sink.port,
    secure: false,
    auth: { user: 'bench', pass: 'bench' },
    tls: { rejectUnauthorized: false },
  }
  await world.register('sending', world.mail.freshUser(), { smtp })
  await untilConnected(world, 'sending')
  const empty = await measure(world, { sink, smtp, outbox: 'empty outbox' })
  await fillOutbox(world)
  const outbox = `${scheduled.toLocaleString('en')} messages scheduled`
  return [...empty, ...(await measure(world, { sink, smtp, outbox }))]
}

interface Measuring {
  sink: Counter
  smtp: Server
  outbox: string
}

async function measure(world: World, { sink, smtp, outbox }: Measuring): Promise<Row[]> {
  sink.reset()
  const done = sink.counted(count)
  const measured = await timed((n) => submit(world, n))
  const drained = perSecond(count, (await done).lastAt - measured.began)
  const direct = await plain({ sink, smtp, lanes: atOnce, inFlight: atOnce })
  const reference = await plain({ sink, smtp, lanes: connections, inFlight: 2 * connections })
  const referenceIs = `plain nodemailer pool of ${atOnce} sends directly`
  return [
    {
      what: `submissions accepted per second, ${atOnce} concurrent, ${outbox}`,
      measured: measured.perSecond,
      reference: direct.sent.perSecond,
      unit: '/s',
      referenceIs,
    },
    {
      what: `submission accepted, ${atOnce} concurrent, p99, ${outbox}`,
      measured: percentile(measured.times, 99),
      reference: percentile(direct.sent.times, 99),
      unit: ' ms',
      referenceIs,
    },
    {
      what: `messages per second, submitted to accepted by the sink (${connections} connections), ${outbox}`,
      measured: drained,
      reference: reference.perSecond,
      unit: '/s',
      referenceIs: 'plain nodemailer pool',
    },
  ]
}

async function submit(world: World, n: number): Promise<void> {
  const { status, body } = await callApi(world, operations.submitMessage, {
    params: { account: 'sending' },
    body: { to: [{ address: `to${n}@example.test` }], copy: false, ...message },
  })
  if (status !== 200) throw new Error(`submission failed with ${status}: ${JSON.stringify(body)}`)
}

/** Measures a nodemailer pool that sends to the same SMTP server. */
async function plain({
  sink,
  smtp,
  lanes,
  inFlight,
}: {
  sink: Counter
  smtp: Server
  lanes: number
  inFlight: number
}) {
  sink.reset()
  const done = sink.counted(count)
  const pool = createTransport({
    ...smtp,
    pool: true,
    maxConnections: lanes,
    maxMessages: Infinity,
    // Disables Nagle's algorithm, which would delay each SMTP command by up to 40 ms.
    getSocket(
      options: { host?: string; port?: number },
      callback: (error: Error | null, input: { connection: Socket }) => void,
    ) {
      const socket = connect(
        { host: options.host ?? '', port: options.port ?? 0, noDelay: true },
        () => callback(null, { connection: socket }),
      )
    },
  } as Parameters<typeof createTransport>[0])
  const sent = await timed(async (n) => {
    await pool.sendMail({ from: 'a@example.test', to: `to${n}@example.test`, ...message })
  }, inFlight)
  const perSecondThere = perSecond(count, (await done).lastAt - sent.began)
  pool.close()
  return { sent, perSecond: perSecondThere }
}

/**
 * Calls `work` once per message, with limited concurrency. Measures the duration of each call and
 * the rate of the calls.
 */
async function timed(work: (n: number) => Promise<void>, lanes = atOnce) {
  const began = Date.now()
  const times: number[] = []
  let next = 0
  const lane = async () => {
    for (let n = next++; n < count; n = next++) {
      const at = performance.now()
      await work(n)
      times.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { began, times, perSecond: perSecond(count, Date.now() - began) }
}

/** Fills the outbox with submissions that are scheduled for tomorrow. */
async function fillOutbox({ ownerUrl }: World): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    for (let first = 1; first <= scheduled; first += scheduledPerStatement)
      await client.query(
        `insert into outbox (queue_id, account, shard, source, message_id, envelope, subject, mime, send_at, next_attempt_at)
         select 'scheduled-' || n, account, shard, 'api', '<' || n || '@scheduled.test>', '{"from": "a@example.test", "to": ["b@example.test"]}',
           'Later', convert_to('Subject: Later', 'UTF8'), at, at
         from accounts, generate_series($1::int, $2::int) as n, lateral (select now() + interval '1 day' + n * interval '1 second' as at) as later
         where account = 'sending'`,
        [first, Math.min(first + scheduledPerStatement - 1, scheduled)],
      )
    await client.query('analyze outbox')
  })
}
