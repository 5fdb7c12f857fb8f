import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import {
  countAccountsByState,
  countDeliveries,
  countSubmissions,
  getPostgresVersion,
  sumCounters,
} from '../store/stats.ts'
import { handle } from '../http/handle.ts'

export interface StatsDeps {
  db: Db
  bus: Bus
  version: string
  /** Age of a heartbeat after which a sync-worker counts as dead. */
  workerExpiryMs: number
}

/** Statistics of the deployment, read from Postgres. */
export function onGetStats({ db, bus, version, workerExpiryMs }: StatsDeps) {
  return handle(operations.getStats, async ({ query: { seconds = 3_600 } }) => {
    const started = performance.now()
    const postgres = await getPostgresVersion(db)
    const pingMs = performance.now() - started
    const states = await countAccountsByState(db, workerExpiryMs)
    return {
      version,
      license: 'none',
      accounts: [...states.values()].reduce((sum, count) => sum + count, 0),
      node: process.versions.node,
      arch: process.arch,
      postgres,
      postgresPing: Math.round(pingMs * 100) / 100,
      rabbitmq: bus.up,
      queues: { notify: await countDeliveries(db), submit: await countSubmissions(db) },
      connections: connectionsOf(states),
      counters: Object.fromEntries(await sumCounters(db, seconds)),
    }
  })
}

/** A new account counts as `init`: a worker is about to connect it. */
function connectionsOf(states: ReadonlyMap<string, number>) {
  const count = (state: string) => states.get(state) ?? 0
  return {
    init: count('init') + count('new'),
    connected: count('connected'),
    connecting: count('connecting'),
    syncing: count('syncing'),
    authenticationError: count('authenticationError'),
    connectError: count('connectError'),
    unset: count('unset'),
    disconnected: count('disconnected'),
    paused: count('paused'),
    unassigned: count('unassigned'),
  }
}
