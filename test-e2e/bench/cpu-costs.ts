import { operations } from '@posthorn/contracts/operations'
import { eventually } from '@posthorn/testkit'
import type { ImapFlow } from 'imapflow'
import { createTransport } from 'nodemailer'
import { logIn } from '../stories/imap-client.ts'
import { freshMessageId, plainMessage, untilConnected, type World } from '../world.ts'
import { callApi } from './call-api.ts'
import { startCounter } from './counter.ts'
import { cpuMs } from './cpu-ms.ts'
import type { Row } from './report.ts'

/**
 * Operations per measured round. The first round of each kind warms up the processes and is not
 * counted.
 */
const perRound = 300
const rounds = 4
const atOnce = 8
/**
 * Messages that are appended before the benchmark waits for their webhooks. Events of one batch
 * share their costs, so two builds can only be compared with batches of equal size.
 */
const burst = 25
/** Messages per page of a message list, each of which is read. */
const pageSize = 20

/**
 * Measured work of the services, and the same work of plain libraries in this process for
 * comparison.
 */
interface Work {
  what: string
  referenceIs: string
  measured: () => Promise<unknown>
  plain: () => Promise<unknown>
}

/**
 * Measures the CPU time of all services per event, read and submission, which varies less than the
 * duration while other programs run. The reference is the CPU time of this process for the same
 * work.
 */
export async function benchCpuCosts(world: World): Promise<Row[]> {
  const user = await world.connectAccount('cpu-costs')
  await world.posthorn.updateSettings({ body: { webhooks: world.receiver.url } })
  await using sink = await startCounter('sink-main.ts')
  const smtp = {
    host: '127.0.0.1',
    port: sink.port,
    secure: false,
    auth: { user: 'bench', pass: 'bench' },
    tls: { rejectUnauthorized: false },
  }
  await world.register('cpu-sending', world.mail.freshUser(), { smtp })
  await untilConnected(world, 'cpu-sending')
  const [writer, reader] = await Promise.all([logIn(user), logIn(user)])
  await reader.mailboxOpen('INBOX')
  const pool = createTransport({ ...smtp, pool: true })
  const rows: Row[] = []
  for (const work of [
    readWork(world, reader),
    {
      what: 'submission',
      referenceIs: 'nodemailer pool that sends directly',
      measured: async () => {
        sink.reset()
        const done = sink.counted(perRound)
        await inLanes((n) => submit(world, n))
        await done
      },
      plain: () =>
        inLanes((n) =>
          pool.sendMail({ from: 'a@example.test', to: `to${n}@example.test`, text: 'Hello' }),
        ),
    },
    // The measurement of events comes last, because its plain IMAP client causes further events for
    // which no round waits.
    eventWork(world, writer, reader),
  ])
    rows.push(await measure(world, work))
  pool.close()
  await Promise.all([writer.logout(), reader.logout()])
  return rows
}

/**
 * Work of the benchmark: one client appends messages in bursts and waits for the webhooks after
 * each burst.
 */
function eventWork(world: World, writer: ImapFlow, reader: ImapFlow): Work {
  const append = async (count: number) => {
    for (let n = 0; n < count; n++)
      await writer.append('INBOX', plainMessage({ messageId: freshMessageId() }))
  }
  return {
    what: 'messageNew event, from APPEND to webhook',
    referenceIs: 'plain client that appends and fetches',
    async measured() {
      for (let n = 0; n < perRound; n += burst) {
        const before = world.receiver.requests.length
        await append(burst)
        await eventually(() => world.receiver.requests.length >= before + burst, {
          timeoutMs: 120_000,
        })
      }
    },
    async plain() {
      await append(perRound)
      // Sends NOOP, because an IMAP server may announce messages to the reader only in reply to a
      // command.
      await reader.noop()
      const options = { uid: true, envelope: true, bodyStructure: true, headers: true }
      await reader.fetchAll(`1:${perRound}`, options)
    },
  }
}

/** Calls of `GET message` for the messages of one page. */
function readWork(world: World, reader: ImapFlow): Work {
  const account = 'cpu-costs'
  const options = { uid: true, envelope: true, bodyStructure: true, headers: true }
  let page: string[] = []
  return {
    what: 'GET message',
    referenceIs: 'plain client that fetches',
    async measured() {
      if (page.length === 0) {
        for (let n = 0; n < pageSize; n++)
          await reader.append('INBOX', plainMessage({ messageId: freshMessageId() }))
        const query = { path: 'INBOX' }
        const { body } = await callApi(world, operations.listMessages, {
          params: { account },
          query,
        })
        page = body.messages.map(({ id }: { id: string }) => id)
      }
      await inLanes(async (n) => {
        const message = page[n % page.length] ?? ''
        const { status } = await callApi(world, operations.getMessage, {
          params: { account, message },
        })
        if (status !== 200) throw new Error(`reading failed with ${status}`)
      })
    },
    plain: () => inLanes((n) => reader.fetchOne(String((n % pageSize) + 1), options)),
  }
}

async function submit(world: World, n: number): Promise<void> {
  const { status } = await callApi(world, operations.submitMessage, {
    params: { account: 'cpu-sending' },
    body: {
      to: [{ address: `to${n}@example.test` }],
      copy: false,
      subject: 'Bench',
      text: 'Hello',
    },
  })
  if (status !== 200) throw new Error(`submission failed with ${status}`)
}

async function measure(world: World, work: Work): Promise<Row> {
  await work.measured()
  const before = await servicesCpuMs(world)
  for (let round = 0; round < rounds; round++) await work.measured()
  const measured = (await servicesCpuMs(world)) - before
  await work.plain()
  const plainBefore = process.cpuUsage()
  for (let round = 0; round < rounds; round++) await work.plain()
  const { user, system } = process.cpuUsage(plainBefore)
  const count = rounds * perRound
  return {
    what: `CPU time of all services per ${work.what}`,
    measured: measured / count,
    reference: (user + system) / 1_000 / count,
    unit: ' ms',
    referenceIs: work.referenceIs,
  }
}

async function servicesCpuMs(world: World): Promise<number> {
  const each = await Promise.all(Object.values(world.services.pids).map((pid) => cpuMs(pid)))
  return each.reduce((sum, ms) => sum + ms, 0)
}

/** Runs `perRound` operations, up to `atOnce` of them concurrently. */
async function inLanes(run: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < perRound) await run(next++)
    }),
  )
}
