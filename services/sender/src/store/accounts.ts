import type { ImapConfig, ImapDisabled, SmtpConfig } from '@posthorn/contracts'
import type { StoredServer } from '@posthorn/db'

/** What sending for an account needs to know of it. */
export interface SendingAccount {
  account: string
  imap: StoredServer<ImapConfig | ImapDisabled> | null
  smtp: StoredServer<SmtpConfig> | null
  /** It has OAuth2, which a server without a login of its own is logged in to by. */
  byOAuth2: boolean
  smtpEhloName: string | null
  proxy: string | null
  /** Whether copies go into Sent; null: as it is usual. */
  copy: boolean | null
  /** Raised by every change: a session that was opened under another one is not used again. */
  version: string
}

/** An outgoing server that belongs to no account. */
export interface SendingGateway {
  host: string
  port: number
  secure: boolean
  /** Null: nobody logs in there. */
  username: string | null
  /** Raised by every change, as the account's. */
  version: string
}
