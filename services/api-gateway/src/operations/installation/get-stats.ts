import { operations } from '@posthorn/contracts/operations'
import { accountStates } from '@posthorn/contracts/schemas/account-state'
import {
  type AccountCounts,
  countAccountsByState,
  countDeliveries,
  countSubmissions,
  getPostgresVersion,
  sumCounters,
} from '../../store/installation/stats.ts'
import { handle } from '../../http/handle.ts'
import type { OperationDeps } from '../operation-deps.ts'

type StatsDeps = Pick<OperationDeps, 'db' | 'bus' | 'version' | 'workerExpiryMs'>

/** Statistics of the deployment, read from Postgres. */
export function onGetStats({ db, bus, version, workerExpiryMs }: StatsDeps) {
  return handle(operations.getStats, async ({ query: { seconds = 3_600 } }) => {
    const started = performance.now()
    const postgres = await getPostgresVersion(db)
    const pingMs = performance.now() - started
    const accounts = await countAccountsByState(db, workerExpiryMs)
    return {
      version,
      license: 'none',
      accounts: Object.values(accounts).reduce((sum, count) => sum + count, 0),
      node: process.versions.node,
      arch: process.arch,
      postgres,
      postgresPing: Math.round(pingMs * 100) / 100,
      rabbitmq: bus.up,
      queues: { notify: await countDeliveries(db), submit: await countSubmissions(db) },
      connections: connectionsOf(accounts),
      counters: await sumCounters(db, seconds),
    }
  })
}

const states = [...accountStates, 'unassigned'] as const
const noAccounts = Object.fromEntries(states.map((state) => [state, 0]))

/**
 * Number of accounts per connection state in the statistics. A new account counts as `init`: a
 * worker is about to connect the account.
 */
function connectionsOf(counts: AccountCounts) {
  const { new: added, ...rest } = { ...noAccounts, ...counts } as Required<AccountCounts>
  return { ...rest, init: rest.init + added }
}
