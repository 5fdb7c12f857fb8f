import type { Backend } from '@posthorn/contracts/account-types'
import type { AccountRecord, LastError } from '@posthorn/contracts/schemas/account'
import type { AccountState } from '@posthorn/contracts/schemas/account-state'
import type { ChangeType, SyncWarning } from '@posthorn/contracts/schemas/changes'
import type { ImapConfig, ImapDisabled, SmtpConfig } from '@posthorn/contracts/schemas/mail-server'
import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/**
 * Login at a mail server as stored. `accessToken`: an access token is sealed instead of a password.
 */
export interface StoredServerLogin {
  user: string
  accessToken?: true
}
/**
 * Mail server settings of an account as stored. The password or access token is in `credentials`.
 */
export type StoredServer<T extends ImapConfig | ImapDisabled | SmtpConfig> = T extends unknown
  ? Omit<T, 'auth'> & { auth?: StoredServerLogin | false }
  : never
/** OAuth2 settings of an account as stored. The grant is in `credentials`. */
export interface StoredOAuth2 {
  /** Id of the OAuth2 application with which the account authenticates. */
  provider: string
  useAuthServer?: boolean
  auth?: { user?: string; delegatedUser?: string; delegatedAccount?: string }
}
export interface StoredHeader {
  key: string
  value: string
}

/** Error of a new account state, or the details of a `syncWarning`. */
export type ChangePayload = { error: LastError } | Omit<SyncWarning, 'type'>

/** Last mailbox of an account whose sync failed, with the error. */
export type SyncError = NonNullable<AccountRecord['syncError']>

export type { Backend }

/** Member of an account registration whose origin (tenant or operator) is stored. */
export type TenantMember = 'imap' | 'smtp' | 'webhooks' | 'webhooksCustomHeaders'

/** Entry of the column `tenantSet`. `unknownHeaders`: headers that are older than the column. */
export type TenantSet = TenantMember | 'unknownHeaders'

/** Registered accounts. Written by api-gateway. */
export interface Accounts {
  account: string
  shard: number
  /**
   * Mail system of the account. Fixed at registration, by the OAuth2 application. Accounts of a
   * mail API have no servers.
   */
  backend: Generated<Backend>
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
  /** True if the account is paused: no sync session, state `paused`. */
  paused: Generated<boolean>
  notifyFrom: Generated<Date>
  proxy: string | null
  smtpEhloName: string | null
  imapIndexer: 'full' | 'fast' | null
  locale: string | null
  tz: string | null
  /**
   * Members of the registration that were set with a token bound to the account, or by the user of
   * a hosted form.
   */
  tenantSet: Generated<TenantSet[]>
  /**
   * Version of the account, incremented by every change, so that a session detects that its account
   * has changed.
   */
  version: Generated<string>
  /**
   * Number that is incremented to request a flush of the account's mailbox indexes; see
   * `flushedEpoch`.
   */
  flushEpoch: Generated<string>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

/**
 * Sealed passwords and OAuth2 grants of accounts. Written by api-gateway, unsealed by auth-bridge
 * only.
 */
export interface Credentials {
  account: string
  kind: 'imap' | 'smtp' | 'oauth2'
  sealed: string
  updatedAt: Generated<Date>
}

/**
 * State of an account. Written by the sync-worker that holds its shard. An account without a row
 * has the state `new`.
 */
export interface AccountStates {
  account: string
  state: AccountState
  /** Number of the account state, incremented by every change of state. Part of event ids. */
  stateEpoch: Generated<string>
  lastError: JsonOrNull<LastError>
  errorCount: Generated<number>
  authFailingSince: Date | null
  authFailureDisabledAt: Date | null
  /** Version of the account (`accounts.version`) that this state belongs to. */
  accountVersion: Generated<string>
  initializedAt: Date | null
  delimiter: string | null
  nextMailboxNumber: Generated<number>
  syncTime: Date | null
  /**
   * Path hashes of the known mailboxes, 8 bytes each. Distinguishes a new mailbox from a lost
   * mailbox row.
   */
  knownMailboxes: Buffer | null
  /** Value of `accounts.flushEpoch` whose flush of the mailbox indexes was completed last. */
  flushedEpoch: Generated<string>
  /** Last mailbox of the account whose sync failed; null once a sync pass completes. */
  syncError: JsonOrNull<SyncError>
  /**
   * Address of the account's mailbox at its mail provider; null if the address is the login name.
   */
  mailboxAddress: string | null
  /** Number of open connections of the account, updated every few seconds. */
  connections: Generated<number>
  updatedAt: Generated<Date>
}

/**
 * Account and proxy changes for subscribers of `GET /v1/changes`, kept for 24 h. Written by
 * sync-worker; by the proxies through `record_proxy_state`.
 */
export interface AccountChanges {
  /**
   * Transaction that wrote the row of the change. Rows are read in the order of (xid, id), up to
   * the oldest open transaction.
   */
  xid: Generated<string>
  id: Generated<string>
  /** Account of the change. Null for a proxy. */
  account: string | null
  type: ChangeType
  /** New state of the account or proxy, kind of a warning, or address of the mailbox. */
  key: string
  payload: JsonOrNull<ChangePayload>
  createdAt: Generated<Date>
}

/** Last account change that retention deleted. One row, written by sync-worker. */
export interface AccountChangesHorizon {
  only: Generated<boolean>
  xid: Generated<string>
  id: Generated<string>
}

/** Protocol log of accounts with `logs` enabled, last lines only. Written by sync-worker. */
export interface AccountLogs {
  account: string
  id: Generated<string>
  line: string
  /**
   * True for a line after the reply to a login: readable with tokens that are bound to the account.
   */
  afterLogin: Generated<boolean>
}
