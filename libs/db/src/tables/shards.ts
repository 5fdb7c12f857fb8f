import type { Generated } from 'kysely'

/** The sync-workers alive. Written by sync-worker. */
export interface Workers {
  id: string
  heartbeatAt: Generated<Date>
  stopping: Generated<boolean>
}

/** Who holds which shard. `epoch` rises with every change of hands; a write that carries an older one is refused. */
export interface Shards {
  shard: number
  owner: string | null
  epoch: Generated<string>
}
