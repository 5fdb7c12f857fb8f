import { isDeepStrictEqual } from 'node:util'
import { AppError } from '@posthorn/errors'
import type { PasswordPlan, ServerInput } from '../../accounts/plan-server.ts'
import { maskUrl } from '../../http/masks.ts'
import type { LockedAccount } from '../../store/accounts.ts'
import type { Token } from '../../store/tokens.ts'

/*
 * A token that is bound to an account may not redirect stored secrets of the account to servers of
 * its choice: it cannot read them, and others may have stored them.
 */

type BoundToken = Pick<Token, 'account'> | null

/** Changed columns; absent ones stay. */
type ColumnChange<T> = { [K in keyof T]?: string | null | undefined }

type OAuth2Login = Pick<LockedAccount, 'oauth2' | 'email' | 'imap' | 'smtp' | 'proxy'>

/**
 * Rejects a change of the mailbox of an OAuth2 login. Another user or delegated account would give
 * access to mail by a grant of others; another host would receive the provider access token.
 *
 * @throws AppError `forbidden`
 */
export function assertMailboxUnchanged(
  token: BoundToken,
  before: OAuth2Login,
  change: ColumnChange<OAuth2Login>,
): void {
  if (!isBound(token)) return
  const after: OAuth2Login = {
    oauth2: parseColumn(change.oauth2, before.oauth2),
    email: change.email === undefined ? before.email : change.email,
    imap: parseColumn(change.imap, before.imap),
    smtp: parseColumn(change.smtp, before.smtp),
    proxy: change.proxy === undefined ? before.proxy : change.proxy,
  }
  if (after.oauth2 && !isDeepStrictEqual(mailboxOf(after), mailboxOf(before))) throw unauthorized()
}

/** Without a user, the address is the login name. The login of the proxy itself may change. */
function mailboxOf({ oauth2, email, imap, smtp, proxy }: OAuth2Login) {
  if (!oauth2) return undefined
  const { provider, auth: { user, delegatedUser, delegatedAccount } = {} } = oauth2
  const hosts = [imap?.host, smtp?.host, proxy && maskUrl(proxy)]
  return { provider, user: user ?? email, delegatedUser, delegatedAccount, hosts }
}

type WebhookTarget = Pick<LockedAccount, 'webhooks' | 'webhooksCustomHeaders'>

/**
 * Rejects a new origin of the webhook target while stored custom headers remain: they may contain
 * credentials for the stored target. New headers may go anywhere.
 *
 * @throws AppError `forbidden`
 */
export function assertTargetUnchanged(
  token: BoundToken,
  before: WebhookTarget,
  { webhooks, webhooksCustomHeaders }: ColumnChange<WebhookTarget>,
): void {
  if (!isBound(token) || !webhooks) return
  if (originOf(webhooks) === originOf(before.webhooks)) return
  const stored = before.webhooksCustomHeaders ?? []
  const headers = parseColumn(webhooksCustomHeaders, stored) ?? []
  if (headers.some(({ value }) => value !== '' && stored.some((header) => header.value === value)))
    throw unauthorized()
}

function originOf(address: string | null): string | undefined {
  return address === null ? undefined : URL.parse(address)?.origin
}

type ServerAccount = Pick<LockedAccount, 'imap' | 'smtp' | 'proxy' | 'passwords'>

interface ServerChange {
  columns: ColumnChange<Pick<LockedAccount, 'imap' | 'smtp' | 'proxy'>>
  passwords: readonly PasswordPlan[]
}

/**
 * Rejects another network path for a stored password or a credential of the authentication server:
 * same server, same proxy, same certificate checks. A new password may go anywhere.
 *
 * @throws AppError `forbidden`
 */
export function assertMailServerUnchanged(
  token: BoundToken,
  before: ServerAccount,
  { columns, passwords }: ServerChange,
): void {
  if (!isBound(token)) return
  const proxy = columns.proxy === undefined ? before.proxy : columns.proxy
  for (const kind of ['imap', 'smtp'] as const) {
    const after = parseColumn<ServerInput>(columns[kind], before[kind])
    const isStored =
      before.passwords.includes(kind) && !passwords.some((plan) => plan.kind === kind)
    if (!after || !(isStored || after.useAuthServer)) continue
    const pathBefore = networkPathOf(before[kind], before.proxy)
    if (!isDeepStrictEqual(networkPathOf(after, proxy), pathBefore)) throw unauthorized()
  }
}

function networkPathOf(server: ServerInput | null, proxy: string | null) {
  const { host, port, secure = false, tls = {}, useAuthServer = false } = server ?? {}
  const proxyUrl = proxy && maskUrl(proxy)
  return { host: host?.toLowerCase(), port, secure, tls, useAuthServer, proxyUrl }
}

function isBound(token: BoundToken): boolean {
  return token !== null && token.account !== null
}

function parseColumn<T>(column: string | null | undefined, before: T | null): T | null {
  if (column === undefined) return before
  return column === null ? null : (JSON.parse(column) as T)
}

function unauthorized(): AppError {
  return new AppError('forbidden', 'Unauthorized account')
}
