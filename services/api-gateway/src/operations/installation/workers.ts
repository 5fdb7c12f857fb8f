import { defined } from '@posthorn/contracts/defined'
import { operations } from '@posthorn/contracts/operations'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { listWorkerRows, markReleasing, type WorkerRow } from '../../store/installation/workers.ts'
import type { OperationDeps } from '../operation-deps.ts'

type WorkerListDeps = Pick<OperationDeps, 'db' | 'workerExpiryMs'>

/** Operations on the sync-worker processes, which serve the accounts. */
export function installationWorkerHandlers(deps: WorkerListDeps): OperationHandler[] {
  const { db, workerExpiryMs } = deps
  return [
    handle(operations.listWorkers, async () => {
      const rows = await listWorkerRows(db, workerExpiryMs)
      const unheld = rows.filter(({ alive }) => !alive)
      return {
        workers: rows.flatMap((row) => (row.id === null ? [] : present(row, row.id))),
        unheld: {
          shards: unheld.flatMap(({ shards }) => shards).toSorted((a, b) => a - b),
          accounts: unheld.reduce((sum, { accounts }) => sum + accounts, 0),
        },
      }
    }),
    handle(operations.releaseWorker, async ({ params: { worker } }) => {
      await markReleasing(db, worker)
      return { releasing: true }
    }),
  ]
}

function present(row: WorkerRow, id: string) {
  const { alive, heartbeatAt, stopping, refusing, loggingInUntil, shards, accounts } = row
  return defined({
    id,
    alive,
    heartbeatAt: heartbeatAt.toISOString(),
    releasing: stopping,
    refusing,
    loggingInUntil: loggingInUntil?.toISOString(),
    shards,
    accounts,
  })
}
