import type { Finding } from '@posthorn/contracts/schemas/finding'
import type { WorkerRow } from '../store/installation/workers.ts'

type WorkerState = Pick<WorkerRow, 'alive' | 'refusing' | 'shards' | 'accounts'>

/** Findings about accounts that no live sync-worker serves. */
export function workerFindings(rows: readonly WorkerState[]): Finding[] {
  const live = rows.filter(({ alive }) => alive)
  const unheld = rows.filter(({ alive }) => !alive)
  const shards = unheld.reduce((sum, row) => sum + row.shards.length, 0)
  const accounts = unheld.reduce((sum, row) => sum + row.accounts, 0)
  if (live.length === 0) return [noLiveWorker(accounts)]
  if (shards === 0) return []
  const refusing = live.every((worker) => worker.refusing)
  return [
    {
      id: 'unheldShards',
      level: accounts > 0 ? 'error' : 'warning',
      title: 'Some accounts have no worker',
      detail: `Shards (groups of accounts) without a live worker: ${shards} of 256, with ${accounts} accounts. These accounts receive no new mail, and requests for their mail fail.`,
      remedy: refusing
        ? 'All workers have used up their memory: start more sync-workers, or raise their memory limit.'
        : 'Wait a minute if workers were just restarted. Otherwise read the log of the sync-workers.',
      count: accounts,
    },
  ]
}

function noLiveWorker(accounts: number): Finding {
  return {
    id: 'noLiveWorker',
    level: 'error',
    title: 'No sync-worker runs',
    detail:
      'No account is synced, and requests for mail fail. Sending and webhooks of stored events go on.',
    remedy: 'Start sync-worker, or read its log if it does not start.',
    count: accounts,
  }
}
