import type { ListWorkersResult } from '@posthorn/client'
import { listWorkers, releaseWorker as release } from '@posthorn/client/operations'
import { workersKey } from './cache-keys.ts'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

/** Process of the service sync-worker, which serves a part of the accounts. */
export type WorkerEntry = ListWorkersResult['workers'][number]

export { workersKey } from './cache-keys.ts'

/** Loads the sync-worker processes with their shards. */
export function useWorkers(): Load<ListWorkersResult> {
  return useLoad(workersKey, () => listWorkers(calls.api), { everyMs: 5_000, topic: 'workers' })
}

/** Makes a sync-worker process hand its shards (groups of accounts) over to the other processes. */
export const releaseWorker = (worker: string) => release(calls.api, { worker })
