import type { Generated } from 'kysely'

/** Running workers. Written by sync-worker. */
export interface Workers {
  id: string
  heartbeatAt: Generated<Date>
  stopping: Generated<boolean>
  /** SHA-256 (hex) of the worker's secret proof, by which auth-bridge identifies it. */
  proof: string | null
}

/** Shard leases. `epoch` rises with every new holder; writes with an older epoch are rejected. */
export interface Shards {
  shard: number
  owner: string | null
  epoch: Generated<string>
}
