import type { LastError } from '@posthorn/contracts'
import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/** State changes of accounts for subscribers. Written by sync-worker, kept for 24 h. */
export interface AccountChanges {
  /**
   * Transaction that wrote the row. Rows are read in the order of (xid, id), up to the oldest open
   * transaction.
   */
  xid: Generated<string>
  id: Generated<string>
  account: string
  type: string
  /** New state, for kind `state`. */
  key: string
  payload: JsonOrNull<{ error: LastError }>
  createdAt: Generated<Date>
}

/** Last change deleted by retention. One row, written by sync-worker. */
export interface AccountChangesHorizon {
  only: Generated<boolean>
  xid: Generated<string>
  id: Generated<string>
}
