import type { Generated } from 'kysely'

/** Running sync-worker processes. Written by sync-worker. */
export interface Workers {
  id: string
  heartbeatAt: Generated<Date>
  stopping: Generated<boolean>
  /** True while the sync-worker has no memory for further shards. */
  refusing: Generated<boolean>
  /** Time until which the accounts that were transferred to the worker are logging in. */
  loggingInUntil: Generated<Date>
  /** SHA-256 (hex) of the worker's secret proof, by which auth-bridge identifies it. */
  proof: string | null
  /** True for sync-workers that lend units of mailboxes to senders. */
  lends: Generated<boolean>
}

/**
 * Leases of shards (groups of accounts). `epoch` rises with every new holder; writes with an older
 * epoch are rejected.
 */
export interface Shards {
  shard: number
  owner: string | null
  epoch: Generated<string>
}
