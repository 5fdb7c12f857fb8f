import type { Generated } from 'kysely'

/** Running sync-worker processes. Written by sync-worker; `stopping` also by api-gateway. */
export interface Workers {
  id: string
  heartbeatAt: Generated<Date>
  /**
   * True for a sync-worker that hands its shards (groups of accounts) over, because the worker is
   * stopping or an operator has released it.
   */
  stopping: Generated<boolean>
  /**
   * True while the sync-worker does not have enough memory for more shards (groups of accounts).
   */
  refusing: Generated<boolean>
  /** Expected end of the logins for accounts that were transferred to this sync-worker. */
  loggingInUntil: Generated<Date>
  /** SHA-256 hash (hex) of the sync-worker's secret, by which auth-bridge recognizes the worker. */
  proof: string | null
  /** True for a sync-worker that can lend a mailbox's quota units of a mail API to senders. */
  lends: Generated<boolean>
}

/**
 * Leases of shards (groups of accounts). `epoch` rises with every new holder. Writes with an older
 * epoch are rejected.
 */
export interface Shards {
  shard: number
  owner: string | null
  epoch: Generated<string>
}
