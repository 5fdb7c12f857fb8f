import type {
  AccountState,
  ImapConfig,
  ImapDisabled,
  LastError,
  SmtpConfig,
} from '@posthorn/contracts'
import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/** Server settings as stored: the password is in `credentials`. */
export type StoredServer<T extends ImapConfig | ImapDisabled | SmtpConfig> = T extends unknown
  ? Omit<T, 'auth'> & { auth?: { user: string } | false }
  : never
/** The OAuth2 of an account as stored: the grant is in `credentials`. */
export interface StoredOAuth2 {
  /** The id of an application. */
  provider: string
  useAuthServer?: boolean
  auth?: { user?: string; delegatedUser?: string; delegatedAccount?: string }
}
export interface StoredHeader {
  key: string
  value: string
}

/** A mailbox that could not be looked at. */
export interface SyncError {
  path: string
  /** ISO 8601. */
  time: string
  error: string
}

/** What was registered. Written by api-gateway. */
export interface Accounts {
  account: string
  shard: number
  name: string
  email: string | null
  expectedEmail: string | null
  imap: JsonOrNull<StoredServer<ImapConfig | ImapDisabled>>
  smtp: JsonOrNull<StoredServer<SmtpConfig>>
  oauth2: JsonOrNull<StoredOAuth2>
  path: JsonOrNull<string[]>
  subconnections: JsonOrNull<string[]>
  webhooks: string | null
  webhooksCustomHeaders: JsonOrNull<StoredHeader[]>
  copy: boolean | null
  logs: Generated<boolean>
  notifyFrom: Generated<Date>
  proxy: string | null
  smtpEhloName: string | null
  imapIndexer: 'full' | 'fast' | null
  locale: string | null
  tz: string | null
  /** Raised by every change: a session knows by it that it is out of date. */
  version: Generated<string>
  /** Raised to have all that is known of the mailboxes forgotten; see `flushedEpoch`. */
  flushEpoch: Generated<string>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

/** Passwords and grants, sealed. Written by api-gateway, which cannot read them; opened by auth-bridge. */
export interface Credentials {
  account: string
  kind: 'imap' | 'smtp' | 'oauth2'
  sealed: string
  updatedAt: Generated<Date>
}

/** How an account is doing. Written by sync-worker, the holder of its shard; no row yet means `new`. */
export interface AccountStates {
  account: string
  state: AccountState
  /** Raised by every change of state: event ids are made of it. */
  stateEpoch: Generated<string>
  lastError: JsonOrNull<LastError>
  errorCount: Generated<number>
  authFailingSince: Date | null
  authFailureDisabledAt: Date | null
  /** The registration (accounts.version) this state belongs to. */
  accountVersion: Generated<string>
  initializedAt: Date | null
  delimiter: string | null
  nextMailboxNumber: Generated<number>
  syncTime: Date | null
  /** Hashes of the paths of its mailboxes, 8 bytes each: tells a new mailbox from one whose row was lost. */
  knownMailboxes: Buffer | null
  /** The `flushEpoch` of the account that was done last. */
  flushedEpoch: Generated<string>
  /** The last mailbox that could not be looked at, until all could. */
  syncError: JsonOrNull<SyncError>
  /** Connections that stand, as of a few seconds ago. */
  connections: Generated<number>
  updatedAt: Generated<Date>
}
