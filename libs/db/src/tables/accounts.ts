import type { Backend } from '@posthorn/contracts/account-types'
import type { AccountRecord, LastError } from '@posthorn/contracts/schemas/account'
import type { AccountState } from '@posthorn/contracts/schemas/account-state'
import type { ChangeType, SyncWarning } from '@posthorn/contracts/schemas/changes'
import type { ImapConfig, ImapDisabled, SmtpConfig } from '@posthorn/contracts/schemas/mail-server'
import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/**
 * Login at a mail server as stored, without the secret. `accessToken`: the sealed (encrypted)
 * secret is an access token instead of a password.
 */
export interface StoredServerLogin {
  user: string
  accessToken?: true
}
/**
 * Mail server settings of an account as stored. The password or access token is in the table
 * `credentials`.
 */
export type StoredServer<T extends ImapConfig | ImapDisabled | SmtpConfig> = T extends unknown
  ? Omit<T, 'auth'> & { auth?: StoredServerLogin | false }
  : never
/** OAuth2 settings of an account as stored. The OAuth2 grant is in the table `credentials`. */
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

/**
 * Data of an account change: the error of the new account state, or the details of a `syncWarning`.
 */
export type ChangePayload = { error: LastError } | Omit<SyncWarning, 'type'>

/** Last mailbox of an account that could not be synced, with the error. */
export type SyncError = NonNullable<AccountRecord['syncError']>

export type { Backend }

/**
 * Member of an account registration for which the database records whether a tenant or an operator
 * set the member.
 */
export type TenantMember = 'imap' | 'smtp' | 'webhooks' | 'webhooksCustomHeaders'

/**
 * Entry of the column `tenantSet`: a member of an account registration that a tenant has set.
 * `unknownHeaders`: custom headers were set before the column existed, so their origin is unknown.
 */
export type TenantSet = TenantMember | 'unknownHeaders'

/** Registered accounts. Written by api-gateway. */
export interface Accounts {
  account: string
  shard: number
  /**
   * Mail system of the account. The OAuth2 application determines the mail system at registration,
   * and it never changes. Accounts with a mail API have no mail servers.
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
   * Members of the account registration that were set by a tenant: with a token bound to the
   * account, or by the user of a hosted form.
   */
  tenantSet: Generated<TenantSet[]>
  /**
   * Version of the account, incremented by every change of the row, so that sessions of the account
   * detect changes.
   */
  version: Generated<string>
  /**
   * Number that is incremented to request that the account's mailbox indexes are flushed (see
   * `flushedEpoch`).
   */
  flushEpoch: Generated<string>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

/**
 * Sealed (encrypted) passwords and OAuth2 grants of accounts. Written by api-gateway. Only
 * auth-bridge can unseal (decrypt) them.
 */
export interface Credentials {
  account: string
  kind: 'imap' | 'smtp' | 'oauth2'
  sealed: string
  updatedAt: Generated<Date>
}

/**
 * State of an account. Written by the sync-worker that holds the account's shard (group of
 * accounts). An account without a row has the state `new`.
 */
export interface AccountStates {
  account: string
  state: AccountState
  /** Number that is incremented by every change of the account's state. Part of event ids. */
  stateEpoch: Generated<string>
  lastError: JsonOrNull<LastError>
  errorCount: Generated<number>
  authFailingSince: Date | null
  authFailureDisabledAt: Date | null
  /** Version of the account (`accounts.version`) to which the state of this row belongs. */
  accountVersion: Generated<string>
  initializedAt: Date | null
  delimiter: string | null
  nextMailboxNumber: Generated<number>
  syncTime: Date | null
  /**
   * Hashes of the paths of all known mailboxes, 8 bytes each. With a hash, a mailbox without a row
   * in `mailboxes` is not new: its row was lost.
   */
  knownMailboxes: Buffer | null
  /**
   * Last value of `accounts.flushEpoch` for which the flush of the mailbox indexes was completed.
   */
  flushedEpoch: Generated<string>
  /**
   * Last mailbox of the account that could not be synced. Null after a sync pass without errors.
   */
  syncError: JsonOrNull<SyncError>
  /**
   * Address of the account's mailbox at its mail provider. Null if the address equals the login
   * name.
   */
  mailboxAddress: string | null
  /** Number of the account's open connections to its mail server, updated every few seconds. */
  connections: Generated<number>
  updatedAt: Generated<Date>
}

/**
 * Changes of accounts and proxies for subscribers of `GET /v1/changes`, kept for 24 h. Written by
 * sync-worker and, through the function `record_proxy_state`, by the proxies.
 */
export interface AccountChanges {
  /**
   * Id of the Postgres transaction that wrote this change of an account or proxy. Changes are read
   * in the order of (xid, id), up to the oldest open transaction.
   */
  xid: Generated<string>
  id: Generated<string>
  /**
   * Account to which the change reported by `GET /v1/changes` belongs. Null if the change concerns
   * the IMAP or SMTP proxy.
   */
  account: string | null
  type: ChangeType
  /**
   * New state of the account or proxy that has changed, kind of a sync warning, or new address of
   * the mailbox.
   */
  key: string
  payload: JsonOrNull<ChangePayload>
  createdAt: Generated<Date>
}

/**
 * Id of the last change of an account or proxy that retention has deleted. The table has one row,
 * written by sync-worker.
 */
export interface AccountChangesHorizon {
  only: Generated<boolean>
  xid: Generated<string>
  id: Generated<string>
}

/** Last lines of the protocol log of accounts with `logs` enabled. Written by sync-worker. */
export interface AccountLogs {
  account: string
  id: Generated<string>
  line: string
  /**
   * True for a line that was logged after the reply to a login. Tokens that are bound to the
   * account can read only such lines.
   */
  afterLogin: Generated<boolean>
}
