import { AppError } from '@posthorn/errors'
import type { PasswordPlan } from './plan-server.ts'
import {
  afterChange,
  changedLoginParts,
  type ColumnChange,
  type LoginAccount,
  loginOf,
  parseColumn,
} from './stored-login.ts'
import { maskUrl } from '../http/masks.ts'
import type { LockedAccount } from '../store/accounts.ts'
import type { Token } from '../store/tokens.ts'

/*
 * A token that is bound to an account may not redirect stored secrets of the account to servers of
 * its choice: it cannot read them, and others may have stored them.
 */

type BoundToken = Pick<Token, 'account'> | null

interface LoginChange {
  columns: ColumnChange<LoginAccount>
  passwords: readonly PasswordPlan[]
}

/**
 * Rejects a change after which stored or fetched credentials would open another mailbox or take
 * another network path: passwords, OAuth2 grants and logins of the authentication server alike. A
 * new password may go anywhere. New OAuth2 tokens may not, because the application's own
 * credentials may give access to other mailboxes.
 *
 * @throws AppError `forbidden`
 */
export function assertLoginsUnchanged(
  token: BoundToken,
  before: LoginAccount & Pick<LockedAccount, 'passwords'>,
  { columns, passwords }: LoginChange,
): void {
  if (!isBound(token)) return
  const after = afterChange(before, columns)
  for (const kind of ['imap', 'smtp', 'oauth2'] as const) {
    const login = loginOf(after, kind)
    const isOwn =
      login?.source === 'password' &&
      (!before.passwords.includes(kind) || passwords.some((plan) => plan.kind === kind))
    if (!login || isOwn) continue
    if (changedLoginParts(loginOf(before, kind), login).length > 0) throw unauthorized()
  }
}

/**
 * Rejects another proxy, whatever the logins of the account are: gateways, whose credentials belong
 * to the operator, are reached through the proxy of the account as well.
 *
 * @throws AppError `forbidden`
 */
export function assertNoOtherProxy(
  token: BoundToken,
  before: Pick<LoginAccount, 'proxy'>,
  { proxy }: ColumnChange<Pick<LoginAccount, 'proxy'>>,
): void {
  if (!isBound(token) || !proxy) return
  if (before.proxy === null || maskUrl(proxy) !== maskUrl(before.proxy))
    throw new AppError('forbidden', 'A token that is bound to an account can not set a proxy')
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

function isBound(token: BoundToken): boolean {
  return token !== null && token.account !== null
}

function unauthorized(): AppError {
  return new AppError('forbidden', 'Unauthorized account')
}
