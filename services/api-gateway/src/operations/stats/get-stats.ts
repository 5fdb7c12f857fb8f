import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import {
  countAccountsByState,
  countDeliveries,
  countSubmissions,
  getPostgresVersion,
  sumCounters,
} from '../../store/stats.ts'
import { handle } from '../../http/route.ts'

export interface Deps {
  db: Db
  bus: Bus
  version: string
  /** How long the heartbeat of a sync-worker lasts. */
  workerExpiryMs: number
}

export function onGetStats({ db, bus, version, workerExpiryMs }: Deps) {
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

/** One that no worker has looked at yet is about to be: `init`. */
function connectionsOf(states: ReadonlyMap<string, number>) {
  const of = (state: string) => states.get(state) ?? 0
  return {
    init: of('init') + of('new'),
    connected: of('connected'),
    connecting: of('connecting'),
    syncing: of('syncing'),
    authenticationError: of('authenticationError'),
    connectError: of('connectError'),
    unset: of('unset'),
    disconnected: of('disconnected'),
    paused: of('paused'),
    unassigned: of('unassigned'),
  }
}
