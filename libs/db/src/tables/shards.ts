import type { Generated } from 'kysely'

/** The sync-workers alive. Written by sync-worker. */
export interface Workers {
  id: string
  heartbeatAt: Generated<Date>
  stopping: Generated<boolean>
  /** SHA-256 (hex) of what this worker alone knows: auth-bridge tells workers apart by it. */
  proof: string | null
}

/** Who holds which shard. `epoch` rises with every change of hands; a write that carries an older one is refused. */
export interface Shards {
  shard: number
  owner: string | null
  epoch: Generated<string>
}
