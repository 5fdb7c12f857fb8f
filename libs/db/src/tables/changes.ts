import type { LastError } from '@posthorn/contracts'
import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/** Changes of accounts' states, for those who follow them. Written by sync-worker with the state itself, kept for a day. */
export interface AccountChanges {
  /** The transaction it was written in: rows are read in the order of (xid, id), and only below the oldest transaction still open. */
  xid: Generated<string>
  id: Generated<string>
  account: string
  type: string
  /** For `state`: the new one. */
  key: string
  payload: JsonOrNull<{ error: LastError }>
  createdAt: Generated<Date>
}

/** The last change that was deleted for its age. One row, written by sync-worker. */
export interface AccountChangesHorizon {
  only: Generated<boolean>
  xid: Generated<string>
  id: Generated<string>
}
