import { connect, type Socket } from 'node:net'
import { operations } from '@posthorn/contracts'
import { createTransport } from 'nodemailer'
import { untilConnected, type World } from '../world.ts'
import { startChild } from './child.ts'
import { perSecond, type Row } from './report.ts'

const count = 1_000
const connections = 5
const message = { subject: 'Bench', text: 'Hello '.repeat(150) }

/** Submissions through the API → accepted by the sink, against a bare nodemailer pool with as many connections to the same sink. */
export async function benchSending(world: World): Promise<Row> {
  await using sink = await startChild('sink-main.ts')
  const smtp = {
    host: '127.0.0.1',
    port: sink.port,
    secure: false,
    auth: { user: 'bench', pass: 'bench' },
    tls: { rejectUnauthorized: false },
  }
  await world.register('sending', world.mail.freshUser(), { smtp })
  await untilConnected(world.client, 'sending')

  const done = sink.counted(count)
  const began = Date.now()
  await inParallel(8, async (n) => {
    const { status } = await world.client.call(operations.submitMessage, {
      params: { account: 'sending' },
      body: { to: [{ address: `to${n}@example.test` }], ...message },
    })
    if (status !== 200) throw new Error(`a submission answered ${status}`)
  })
  const ours = perSecond(count, (await done).lastAt - began)

  sink.reset()
  const reference = sink.counted(count)
  const started = Date.now()
  const pool = createTransport({
    ...smtp,
    pool: true,
    maxConnections: connections,
    maxMessages: 100,
    getSocket(
      options: { host?: string; port?: number },
      callback: (error: Error | null, given: { connection: Socket }) => void,
    ) {
      const socket = connect(
        { host: options.host ?? '', port: options.port ?? 0, noDelay: true },
        () => callback(null, { connection: socket }),
      )
    },
  } as Parameters<typeof createTransport>[0])
  await inParallel(connections * 2, (n) =>
    pool
      .sendMail({ from: 'a@example.test', to: `to${n}@example.test`, ...message })
      .then(() => undefined),
  )
  const bare = perSecond(count, (await reference).lastAt - started)
  pool.close()
  return {
    what: 'messages per second, submitted to accepted by the sink (5 connections)',
    ours,
    reference: bare,
    unit: '/s',
    referenceIs: 'bare nodemailer pool',
  }
}

async function inParallel(lanes: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
