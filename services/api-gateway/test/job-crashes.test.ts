import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, expect, test } from '@jest/globals'
import { eventually, serviceProgram } from '@posthorn/testkit'
import { sql } from 'kysely'
import { testServers } from './gateway.ts'
import { addAccounts, addSubmissions, numbered, serveSender, versions } from './job-world.ts'

const servers = await testServers()
const { db, env } = servers
const bus = await servers.connectBus()
const children = new Set<ChildProcess>()
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

/** Timeout for the start of an api-gateway as a child process, which is slow on a busy machine. */
const startTimeout = { timeoutMs: 120_000 }

/**
 * Starts a replica of api-gateway as a separate process. Returns the process, and the ids of the
 * bulk jobs that the replica has claimed according to its log.
 */
async function startReplica() {
  const child = spawn(process.execPath, serviceProgram('api-gateway'), {
    env: { ...env, SVC_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  const claimed = new Set<string>()
  let isListening = false
  createInterface(child.stdout).on('line', (line) => {
    const { msg, job } = JSON.parse(line) as { msg?: string; job?: string }
    isListening ||= msg === 'listening'
    if (msg === 'bulk job claimed' && job !== undefined) claimed.add(job)
  })
  await eventually(() => isListening, startTimeout)
  return { child, claimed }
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const closed = once(child, 'close')
  child.kill(signal)
  await closed
  children.delete(child)
}

/** Expires the claims of replicas that were killed, which would otherwise take 15 s. */
const expireClaims = () =>
  sql`update bulk_jobs set lease_until = now() where claim is not null`.execute(db)

/** Stores a bulk job as the API does. The replicas of this file are separate processes. */
async function insertJob(kind: 'accounts' | 'outbox', action: 'reconnect' | 'cancel') {
  const id = crypto.randomUUID()
  await db.insertInto('bulkJobs').values({ id, kind, action, filter: '{}' }).execute()
  return id
}

const progress = (id: string) =>
  db.selectFrom('bulkJobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const until = (id: string, isReached: (job: Awaited<ReturnType<typeof progress>>) => boolean) =>
  eventually(async () => {
    const job = await progress(id)
    return isReached(job) && job
  }, startTimeout)

test('startBulkJobs: after SIGKILL another replica continues, no account reconnects twice', async () => {
  await addAccounts(db, numbered('killed', 200))
  const [a, b] = await Promise.all([startReplica(), startReplica()])
  const id = await insertJob('accounts', 'reconnect')
  await until(id, ({ done }) => done >= 20)
  await eventually(() => a.claimed.has(id) || b.claimed.has(id))
  const [first, second] = a.claimed.has(id) ? [a, b] : [b, a]
  expect(second.claimed.has(id)).toBe(false)
  await kill(first.child, 'SIGKILL')
  const { done } = await progress(id)
  await expireClaims()
  await until(id, (job) => job.done > done)
  await eventually(() => second.claimed.has(id))

  // A replica of api-gateway that is stopped ends its claim of a bulk job itself.
  const third = await startReplica()
  await kill(second.child, 'SIGTERM')
  expect(await until(id, ({ state }) => state === 'done')).toMatchObject({
    total: 200,
    done: 200,
    failed: 0,
    skipped: 0,
    claim: null,
  })
  await eventually(() => third.claimed.has(id))
  expect([...new Set((await versions(db, 'killed')).values())]).toEqual([2])
  await kill(third.child, 'SIGTERM')
})

test('startBulkJobs: commands in flight at a SIGKILL are repeated, recorded ones are not', async () => {
  await addAccounts(db, ['sends'])
  const queueIds = numbered('queued', 200)
  await addSubmissions(db, 'sends', queueIds)
  const isKilled = Promise.withResolvers<void>()
  const deleted = new Set<string>()
  let isHeld = false
  const commands = await serveSender(bus, async ({ queueId }) => {
    const isFirst = !deleted.has(queueId)
    deleted.add(queueId)
    await db.deleteFrom('outbox').where('queueId', '=', queueId).execute()
    // From the 50th command on, the fake sender deletes submissions, but the replica of api-gateway
    // gets no reply.
    isHeld ||= deleted.size >= 50
    if (isHeld) await isKilled.promise
    return isFirst ? 'done' : 'missing'
  })
  const first = await startReplica()
  const id = await insertJob('outbox', 'cancel')
  await eventually(() => isHeld, startTimeout)
  const recorded = () =>
    db.selectFrom('bulkJobRows').select('rowId').where('job', '=', id).where('state', '=', 'done')
  await kill(first.child, 'SIGKILL')
  const before = (await recorded().execute()).map(({ rowId }) => rowId)
  isKilled.resolve()
  await expireClaims()
  const second = await startReplica()
  expect(await until(id, ({ state }) => state === 'done')).toMatchObject({
    total: 200,
    done: 200,
    failed: 0,
  })
  await eventually(() => second.claimed.has(id))
  const counts = Map.groupBy(commands, ({ queueId }) => queueId)
  expect([...counts.keys()].sort()).toEqual(queueIds)
  expect(before.length).toBeGreaterThan(0)
  for (const queueId of before) expect(counts.get(queueId)).toHaveLength(1)
  const repeated = [...counts.values()].filter((sent) => sent.length > 1)
  expect(repeated.length).toBeGreaterThan(0)
  // A bulk job has at most 8 commands in flight.
  expect(repeated.length).toBeLessThanOrEqual(8)
  await kill(second.child, 'SIGTERM')
})
