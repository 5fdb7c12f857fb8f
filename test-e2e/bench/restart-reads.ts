import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@posthorn/testkit'
import { productionIntervals } from '../intervals.ts'
import { connectManyAccounts, type ManyAccounts, messagesPath, shuffled } from '../many-accounts.ts'
import { startWorld, type World } from '../world.ts'
import { percentile, type Row } from './report.ts'

const count = Number(process.env['BENCH_RESTART_ACCOUNTS'] ?? 1_000)
/** Interval of the API reads in milliseconds, and the number of reads without a restart. */
const everyMs = 100
const quietReads = 300
/** Time in milliseconds for which API reads continue after the last sync-worker is ready. */
const afterMs = 5_000
const workers = ['sync-worker', 'sync-worker-2']

interface Reads {
  latencies: number[]
  failures: string[]
}

/**
 * Reads messages of random accounts of one mail server ten times per second, while one of two
 * sync-workers restarts and while both restart. Compares them with the same reads without a
 * restart.
 */
export async function benchRestartReads(servers: 'own' | 'shared' = 'own'): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const world = stack.use(
    await startWorld({
      servers,
      names: ['api-gateway', 'sync-worker', 'auth-bridge'],
      replicas: { 'sync-worker': 2 },
      env: {
        ...productionIntervals,
        SVC_TIMEOUT: '10s',
        // Shutdown timeout that k8s/README.md recommends for 500 accounts per worker.
        SVC_SHUTDOWN_TIMEOUT: '30s',
        ...loginEnv(),
      },
    }),
  )
  const many = stack.use(await connectManyAccounts(world, count))
  const quiet = await readDuring(world, many, () => delay(quietReads * everyMs))
  const rolling = await readDuring(world, many, () => restart(world, workers.slice(1)))
  const cold = await readCold(world, many)
  return [
    ...rowsOf(`one of two sync-workers restarts, ${count} accounts`, rolling, quiet),
    ...rowsOf(`both sync-workers restarted, ${count} accounts`, cold, quiet),
  ]
}

/**
 * Measures API reads from the moment at which both sync-workers have started and no account is
 * logged in yet.
 */
async function readCold(world: World, many: ManyAccounts): Promise<Reads> {
  await Promise.all(workers.map((name) => world.services.stop(name)))
  const starting = Promise.all(workers.map((name) => world.services.start(name)))
  const untilStarted = (name: string) =>
    eventually(async () => {
      const response = await fetch(`${world.services.urls[name]}/health/ready`)
      const { failed = [] } = (await response.json()) as { failed?: string[] }
      if (failed.includes('start')) throw new Error(`${name} is starting`)
    })
  await Promise.all(workers.map(untilStarted))
  return await readDuring(world, many, async () => {
    await starting
    await delay(afterMs)
  })
}

/**
 * Environment with a limit of logins at a mail server host, which `BENCH_LOGINS_PER_SECOND` sets to
 * measure hosts that limit logins.
 */
function loginEnv(): Record<string, string> {
  const perSecond = process.env['BENCH_LOGINS_PER_SECOND']
  return perSecond === undefined ? {} : { SVC_LOGINS_PER_SECOND: perSecond }
}

async function restart(world: World, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => world.services.stop(name)))
  await Promise.all(names.map((name) => world.services.start(name)))
  await delay(afterMs)
}

/** Sends API reads at the fixed interval, whatever their latency, until `work` has ended. */
async function readDuring(
  { url, token }: World,
  { accounts }: ManyAccounts,
  work: () => Promise<void>,
): Promise<Reads> {
  const reads: Reads = { latencies: [], failures: [] }
  const headers = { authorization: `Bearer ${token}` }
  const read = async (path: string) => {
    const from = performance.now()
    const response = await fetch(`${url}${path}`, { headers })
    const text = await response.text()
    reads.latencies.push(performance.now() - from)
    if (!response.ok) reads.failures.push(`${response.status} ${text}`)
  }
  const paths: string[] = []
  const running: Promise<void>[] = []
  const timer = setInterval(() => {
    if (paths.length === 0) paths.push(...shuffled(accounts).map(messagesPath))
    running.push(read(paths.pop() ?? ''))
  }, everyMs)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  await Promise.all(running)
  for (const failure of new Set(reads.failures)) process.stdout.write(`    ${failure}\n`)
  return reads
}

function rowsOf(what: string, reads: Reads, quiet: Reads): Row[] {
  const { latencies, failures } = reads
  return [50, 99, 100].map((p) => ({
    what: `${what}: ${failures.length} of ${latencies.length} reads failed, p${p}`,
    measured: percentile(latencies, p),
    reference: percentile(quiet.latencies, p),
    unit: ' ms',
    referenceIs: `without a restart, ${quiet.failures.length} of ${quiet.latencies.length} failed`,
  }))
}
