import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

/** Process of the service sync-worker, which serves accounts. */
export interface WorkerEntry {
  id: string
  alive: boolean
  heartbeatAt: string
  releasing: boolean
  refusing: boolean
  loggingInUntil?: string
  shards: number[]
  accounts: number
}

export interface WorkerList {
  workers: WorkerEntry[]
  /** Shards that no live worker holds, with their accounts. */
  unheld: { shards: number[]; accounts: number }
}

export const workersKey = ['workers'] as const

export function useWorkers(): Load<WorkerList> {
  return useLoad(workersKey, () => calls.forwarded('GET /admin/api/workers'), { everyMs: 5_000 })
}

/** Makes a worker hand its shards over to the other workers. */
export const releaseWorker = (worker: string) =>
  calls.forwarded('POST /admin/api/workers/{worker}/release', { worker })
