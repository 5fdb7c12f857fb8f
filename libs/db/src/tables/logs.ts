import type { Generated } from 'kysely'

/** The protocol log of accounts that have `logs` switched on: the last lines of each. Written by sync-worker. */
export interface AccountLogs {
  account: string
  id: Generated<string>
  line: string
}
