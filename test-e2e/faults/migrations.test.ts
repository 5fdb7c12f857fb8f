import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { checkout } from '@posthorn/local/paths'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually, type SmtpScript, startSmtpScript } from '@posthorn/testkit'
import { startWorld, type World } from '../world.ts'
import { buildRelease, missingReason, previousRelease } from './previous-release.ts'
import { type RollingClients, runClients, type Tally } from './rolling-clients.ts'
import { addSender, listDuplicates } from './sending-job.ts'

const reason = await missingReason(previousRelease)
if (reason !== undefined) process.stdout.write(`migrations of releases skipped: ${reason}\n`)

/** Time to install and build the previous release and to start it, on a busy machine. */
const maxStartMs = 600_000
const describeUpgrade = reason === undefined ? describe : describe.skip

describeUpgrade(
  'migrate beside services of the previous release and a reader of all tables',
  () => {
    const stack = new AsyncDisposableStack()
    const accepted = new Set<string>()
    let world: World
    let sink: SmtpScript
    let clients: readonly RollingClients[] = []
    beforeAll(async () => {
      const bundle = await buildRelease(previousRelease)
      world = stack.use(await startWorld({ servers: 'own', bundle }))
      sink = stack.use(await startSmtpScript())
      const sender = await addSender(world, sink, 'jane')
      clients = startClients(world, sender, accepted)
      for (const each of clients) stack.defer(() => each.stop())
      await untilWorked(clients)
    }, maxStartMs)
    afterAll(() => stack.disposeAsync())

    test('while the reader holds all tables: retries, and each request succeeds or its repetition does', async () => {
      await withReader(world.ownerUrl, async () => {
        const job = startMigrate()
        await job.until('attempt 2 failed')
        expect(job.output()).toMatch(
          /waits for a lock of pid \d+, application pg_dump, role posthorn/,
        )
        job.process.kill('SIGKILL')
        expect(await job.exit).toBeNull()
        await untilWorked(clients)
      })
    })

    test('killed again and continued: applies the rest while the services run', async () => {
      const killed = startMigrate('applied in')
      expect(await killed.exit).toBeNull()
      const job = startMigrate()
      expect(await job.exit).toBe(0)
      expect(job.output()).toMatch(/\napplied 00.*0070-notification-secrets/)
      await untilWorked(clients)
    })

    test('afterwards: each accepted message was sent once', async () => {
      await Promise.all(clients.map((each) => each.stop()))
      await eventually(() => {
        const sent = new Set(sink.accepted.map(({ messageId }) => messageId))
        expect([...accepted].filter((id) => !sent.has(id))).toEqual([])
      })
      expect(accepted.size).toBeGreaterThan(0)
      expect(listDuplicates(sink)).toEqual([])
    })

    /** Starts `migrate` of this checkout, which is killed when its output has the text `killAt`. */
    function startMigrate(killAt?: string) {
      const main = join(checkout, 'libs/db/src/migrate-main.ts')
      const child: ChildProcess = spawn(process.execPath, [main], {
        env: { DATABASE_OWNER_URL: world.ownerUrl },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      stack.defer(() => void child.kill('SIGKILL'))
      let output = ''
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
        if (killAt !== undefined && output.includes(killAt)) child.kill('SIGKILL')
      })
      const exit = once(child, 'close').then(([code]) => code as number | null)
      return {
        process: child,
        exit,
        output: () => output,
        until: (part: string) => eventually(() => expect(output).toContain(part)),
      }
    }
  },
)

/** Starts API clients that read, and API clients that submit messages. */
function startClients(world: World, account: string, accepted: Set<string>): RollingClients[] {
  const { posthorn } = world
  const reads: (() => Promise<unknown>)[] = [
    () => posthorn.getAccount({ account }),
    () => posthorn.listAccounts(),
    () => posthorn.listOutbox(),
  ]
  const read = repeatOnce((round) => reads[round % reads.length]?.())
  const submit = repeatOnce(async () => {
    const body = { to: [{ address: 'you@elsewhere.example' }], subject: 'Hello', text: 'Hello' }
    const { messageId } = await posthorn.submitMessage({ account, body: { ...body, copy: false } })
    accepted.add(String(messageId))
  })
  return [
    runClients({ clients: 6, everyMs: 100, round: read }),
    runClients({ clients: 2, everyMs: 200, round: submit }),
  ]
}

/**
 * Round of an API client that repeats a failed request once. A request may fail after the lock
 * timeout. The repeated request succeeds until the next attempt of the migration.
 */
function repeatOnce(call: (round: number) => Promise<unknown> | undefined) {
  let round = 0
  return async (_client: number, tally: Tally) => {
    const at = round++
    try {
      await call(at)
    } catch (first) {
      await call(at)?.catch((last: unknown) => tally.failures.push(JSON.stringify([first, last])))
    }
    tally.done += 1
  }
}

/**
 * Waits until API clients of each kind have completed further requests. Fails if a request failed
 * although it was repeated.
 */
async function untilWorked(clients: readonly RollingClients[]): Promise<void> {
  const before = clients.map(({ tally }) => tally.done)
  await eventually(() => {
    for (const [at, { tally }] of clients.entries())
      expect(tally.done).toBeGreaterThan((before[at] ?? 0) + 20)
  })
  expect(clients.flatMap(({ tally }) => tally.failures.splice(0))).toEqual([])
}

/** Runs work beside an open transaction that has read every table, like a run of pg_dump. */
async function withReader(ownerUrl: string, work: () => Promise<void>): Promise<void> {
  await withClient(ownerUrl, async (reader) => {
    await reader.query("set application_name = 'pg_dump'")
    await reader.query('begin isolation level repeatable read')
    const { rows } = await reader.query<{ name: string }>(`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`)
    for (const { name } of rows) await reader.query(`select count(*) from "${name}"`)
    await work()
    await reader.query('commit')
  })
}
