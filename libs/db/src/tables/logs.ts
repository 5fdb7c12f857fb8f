import type { Generated } from 'kysely'

/** Protocol log of accounts with `logs` enabled, last lines only. Written by sync-worker. */
export interface AccountLogs {
  account: string
  id: Generated<string>
  line: string
}
