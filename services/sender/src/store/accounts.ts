import type { SmtpConfig } from '@posthorn/contracts'
import type { StoredServer } from '@posthorn/db'

/** What sending for an account needs to know of it. */
export interface SendingAccount {
  account: string
  smtp: StoredServer<SmtpConfig> | null
  smtpEhloName: string | null
  /** Raised by every change: a session that was opened under another one is not used again. */
  version: string
}
