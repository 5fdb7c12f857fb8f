import type { ListWorkersResult } from '@posthorn/client'
import { listWorkers, releaseWorker as release } from '@posthorn/client/operations'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

/** Process of the service sync-worker, which serves accounts. */
export type WorkerEntry = ListWorkersResult['workers'][number]

export const workersKey = ['workers'] as const

export function useWorkers(): Load<ListWorkersResult> {
  return useLoad(workersKey, () => listWorkers(calls.api), { everyMs: 5_000 })
}

/** Makes a worker hand its shards over to the other workers. */
export const releaseWorker = (worker: string) => release(calls.api, { worker })
