import { setTimeout as delay } from 'node:timers/promises'
import type { AdminWorld } from '../../admin/admin-world.ts'
import { ownHeaders } from '../../admin/raw-call.ts'
import { cpuMs } from '../cpu-ms.ts'
import type { Row } from '../report.ts'
import { type AdminStage, joinPerson, type Person } from './people.ts'

const many = 50
const windowMs = 60_000
const curveKeys = 'events:messageNew,events:messageSent,apiCall:success,apiCall:fail'

/** Calls that an open dashboard repeats, besides its stream of live updates. */
const repeated = [
  { everyMs: 30_000, path: () => '/admin/session' },
  { everyMs: 60_000, path: () => '/admin/call/admin/api/findings' },
  { everyMs: 60_000, path: seriesPath },
] as const

function seriesPath(): string {
  const step = 900
  const to = Math.ceil(Date.now() / 1_000 / step) * step
  const time = (seconds: number) => new Date(seconds * 1_000).toISOString()
  const query = { keys: curveKeys, from: time(to - 86_400), to: time(to), step: String(step) }
  return `/admin/call/admin/api/stats/series?${new URLSearchParams(query).toString()}`
}

/** Measures what 50 open dashboards of three people cost. The reference is one dashboard. */
export async function benchDashboards({ world, owner }: AdminStage): Promise<Row[]> {
  // The dashboards belong to three people, because a person may have at most 20 streams of live
  // updates.
  const people = [
    owner,
    await joinPerson(world, owner, 'operator'),
    await joinPerson(world, owner, 'auditor'),
  ]
  const one = await measure(world, people, 1)
  const all = await measure(world, people, many)
  const row = (what: string, unit: string, use: keyof Use): Row => ({
    what: `${many} open dashboards, ${what}`,
    measured: all[use],
    reference: one[use],
    unit,
    referenceIs: '1 open dashboard',
  })
  return [
    row('CPU time of admin-ui, goal under 3 %', ' % of a core', 'cpu'),
    row('CPU time of api-gateway', ' % of a core', 'gatewayCpu'),
    row('sets of figures from api-gateway, goal as many as for one', '/min', 'figures'),
    row('forwarded calls for findings and curves', '/min', 'calls'),
  ]
}

/** Resources that open dashboards use per minute. CPU time is in percent of a core. */
interface Use {
  cpu: number
  gatewayCpu: number
  figures: number
  calls: number
}

async function measure(world: AdminWorld, people: readonly Person[], count: number): Promise<Use> {
  const closing = new AbortController()
  const { signal } = closing
  const opening = Array.from({ length: count }, (_, n) => {
    const person = people[n % people.length]
    if (!person) throw new Error('no person')
    return openDashboard(world, person, { startAt: n / count, signal })
  })
  const dashboards = await Promise.all(opening)
  const ended = Promise.all(dashboards.map((dashboard) => dashboard.ended))
  const before = await readTotals(world)
  // A failed request of a dashboard ends the measurement.
  await Promise.race([delay(windowMs), ended])
  const after = await readTotals(world)
  closing.abort()
  await ended
  const share = (use: 'cpu' | 'gatewayCpu') => ((after[use] - before[use]) / windowMs) * 100
  const perMinute = (use: 'figures' | 'calls') => ((after[use] - before[use]) / windowMs) * 60_000
  return {
    cpu: share('cpu'),
    gatewayCpu: share('gatewayCpu'),
    figures: perMinute('figures'),
    calls: perMinute('calls'),
  }
}

/**
 * Totals of admin-ui and api-gateway since the start of their processes. CPU time is in
 * milliseconds.
 */
async function readTotals({ services }: AdminWorld): Promise<Use> {
  const response = await fetch(`${services.urls['admin-ui']}/metrics`)
  const metrics = await response.text()
  const sum = (sample: RegExp) =>
    metrics
      .split('\n')
      .filter((line) => sample.test(line))
      .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0)
  return {
    cpu: await cpuMs(services.pids['admin-ui'] ?? 0),
    gatewayCpu: await cpuMs(services.pids['api-gateway'] ?? 0),
    figures: sum(/^posthorn_admin_live_reads_total\{.*operation="getStats"/),
    calls: sum(/^posthorn_admin_calls_total\{/),
  }
}

interface Dashboard {
  /** Resolves when the dashboard is closed. Rejects if one of its requests fails before. */
  ended: Promise<unknown>
}

/**
 * Opens the stream of live updates of a dashboard and repeats its calls until `signal` aborts.
 * `startAt` is the part of each interval after which the first call is sent.
 */
async function openDashboard(
  { pagesUrl }: AdminWorld,
  person: Person,
  { startAt, signal }: { startAt: number; signal: AbortSignal },
): Promise<Dashboard> {
  const headers = ownHeaders(pagesUrl, person.cookie)
  const response = await fetch(`${pagesUrl}/admin/live?topics=figures`, { headers, signal })
  const reader = response.body?.getReader()
  if (response.status !== 200 || !reader) throw new Error(`live updates: ${response.status}`)
  await reader.read()
  const follow = async () => {
    while (!(await reader.read()).done) continue
  }
  const repeat = async ({ everyMs, path }: (typeof repeated)[number]) => {
    await delay(startAt * everyMs, undefined, { signal })
    for (;;) {
      await person.call('GET', path())
      await delay(everyMs, undefined, { signal })
    }
  }
  const parts = [follow(), ...repeated.map(repeat)].map((part) =>
    part.catch((error: unknown) => {
      if (!signal.aborted) throw error
    }),
  )
  return { ended: Promise.all(parts) }
}
