import { isDeepStrictEqual } from 'node:util'
import type { ImapConfig } from '@posthorn/contracts/schemas/mail-server'
import type { LockedAccount } from '../store/accounts/accounts.ts'
import type { PasswordKind } from '../store/accounts/credentials.ts'
import { maskUrl } from '../http/masks.ts'

/** Settings of a mail server of an account, as stored or as in a request. */
interface LoginServer {
  host?: string | undefined
  port?: number | undefined
  secure?: boolean | undefined
  tls?: ImapConfig['tls'] | undefined
  useAuthServer?: boolean | undefined
  auth?: { user: string; accessToken?: unknown } | false | null | undefined
}

/** Parts of an account that decide which credentials are sent where. */
export interface LoginAccount extends Pick<LockedAccount, 'oauth2' | 'email' | 'proxy'> {
  imap: LoginServer | null
  smtp: LoginServer | null
}

/** Changed columns of an account; absent columns keep their value. JSON columns are text. */
export type ColumnChange<T> = { [K in keyof T]?: string | null | undefined }
export type LoginColumns = ColumnChange<LoginAccount>

/** Account as it will be after a change of its columns. */
export function afterChange(before: LoginAccount, columns: LoginColumns): LoginAccount {
  return {
    imap: parseColumn(columns.imap, before.imap),
    smtp: parseColumn(columns.smtp, before.smtp),
    oauth2: parseColumn(columns.oauth2, before.oauth2),
    email: columns.email === undefined ? before.email : columns.email,
    proxy: columns.proxy === undefined ? before.proxy : columns.proxy,
  }
}

export function parseColumn<T>(column: string | null | undefined, before: T | null): T | null {
  if (column === undefined) return before
  return column === null ? null : (JSON.parse(column) as T)
}

/** Credentials of an account and the network path over which they are sent. */
export interface StoredLogin {
  /**
   * Kind of credentials of the account: its own password or access token, its OAuth2 grant, or
   * credentials that the operator's authentication server provides.
   */
  source: 'password' | 'oauth2' | 'auth-server'
  /**
   * User of the mailbox that the credentials open. The authentication server chooses the mailbox by
   * the account.
   */
  user: unknown
  /** Host of the mail server. Absent for an OAuth2 login, which is at a token endpoint. */
  host?: string | undefined
  port?: number | undefined
  secure?: boolean
  tls?: object
  /** URL of the account's proxy without its password. */
  proxy?: string | null
}

const parts = ['source', 'user', 'host', 'port', 'secure', 'tls', 'proxy'] as const

/**
 * Compares two mail server logins: user, server, security, TLS options and proxy. Stored
 * credentials may be kept only if nothing relevant to the caller differs.
 *
 * @returns the parts that differ
 */
export function changedLoginParts(
  before: StoredLogin | undefined,
  after: StoredLogin | undefined,
): (typeof parts)[number][] {
  return parts.filter((part) => !isDeepStrictEqual(before?.[part], after?.[part]))
}

/**
 * Login of an account at a mail server, in a form that can be compared. The kind `oauth2` is the
 * OAuth2 login itself, because callers can read its access token without any mail server. Undefined
 * if the account has no credentials of the kind.
 */
export function loginOf(account: LoginAccount, kind: PasswordKind): StoredLogin | undefined {
  if (kind === 'oauth2') return oauth2LoginOf(account)
  const server = account[kind]
  const login = server && identityOf(account, server)
  if (!login) return undefined
  const { host, port, secure = false, tls } = server
  return {
    ...login,
    host: host?.toLowerCase(),
    port,
    secure,
    tls: { rejectUnauthorized: true, ...tls },
    proxy: account.proxy && maskUrl(account.proxy),
  }
}

/**
 * Credentials that auth-bridge issues for a mail server of an account, in its order of precedence:
 * authentication server, own login of the server, OAuth2.
 */
function identityOf(account: LoginAccount, server: LoginServer): StoredLogin | undefined {
  if (server.useAuthServer) return { source: 'auth-server', user: undefined }
  if (server.auth) return { source: 'password', user: server.auth.user }
  return oauth2LoginOf(account)
}

/** OAuth2 login of an account. Without a user, the account's address is the login name. */
function oauth2LoginOf({ oauth2, email }: LoginAccount): StoredLogin | undefined {
  if (!oauth2) return undefined
  const { provider, auth: { user, delegatedUser, delegatedAccount } = {} } = oauth2
  return {
    source: 'oauth2',
    user: { provider, user: user ?? email, delegatedUser, delegatedAccount },
  }
}
