import { fieldError } from '@posthorn/contracts/describe-error'
import { validationError } from '@posthorn/contracts/validate'
import type { TenantMember } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { maskUrl } from '../http/masks.ts'
import type { Token } from '../store/access/tokens.ts'
import type { AccountColumns, LockedAccount } from '../store/accounts/accounts.ts'
import type { PasswordPlan } from './plan-server.ts'
import {
  afterChange,
  changedLoginParts,
  type ColumnChange,
  type LoginAccount,
  loginOf,
  parseColumn,
} from './stored-login.ts'
import { type ChangedBy, keptHeaders, originOfHeaders, originsAfter } from './tenant-members.ts'

/*
 * A token that is bound to an account may not redirect stored secrets of the account to servers of
 * its choice. The token cannot read these secrets, and another caller may have stored them.
 */

type BoundToken = Pick<Token, 'account'> | null

interface LoginChange {
  columns: ColumnChange<LoginAccount>
  passwords: readonly PasswordPlan[]
}

/**
 * Rejects a change of an account after which stored or fetched credentials would open another
 * mailbox or take another network path. Such credentials are passwords, OAuth2 grants and logins of
 * the authentication server. A new password may go anywhere. New OAuth2 tokens may not, because the
 * application's own credentials may give access to other mailboxes.
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
 * Rejects a change of an account's proxy, whatever the logins of the account are. Gateways are
 * reached through the proxy of the account as well, and their credentials belong to the operator.
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

type WebhookTarget = Pick<LockedAccount, TenantMember | 'tenantSet'>

/**
 * Rejects changes that would combine webhook headers and a webhook target of different origins
 * (operator or tenant). Headers of an operator may contain credentials for the stored target, so
 * another target needs new headers. Headers of a tenant may not replace credentials at an
 * operator's target.
 *
 * @throws AppError `forbidden`
 */
export function assertTargetUnchanged(
  token: BoundToken,
  before: WebhookTarget,
  columns: AccountColumns,
): void {
  if (!isBound(token)) return
  const { webhooks = before.webhooks } = columns
  if (!webhooks) return
  const headers = parseColumn(columns.webhooksCustomHeaders, before.webhooksCustomHeaders) ?? []
  if (headers.length === 0) return
  const after = originsAfter('tenant', columns, before)
  const isStored = ['absent', 'all'].includes(keptHeaders(columns, before))
  const isAllowed = isStored
    ? webhooks === before.webhooks || originOfHeaders(after) === 'tenant'
    : after.includes('webhooks')
  if (!isAllowed) throw unauthorized()
}

/**
 * Rejects new webhook headers beside masked headers that the other party (operator or tenant) has
 * set: all headers of an account have one origin, by which the targets of the headers are chosen.
 *
 * @throws AppError `invalid` with `fields` for an operator, `forbidden` for a tenant
 */
export function assertOneOrigin(
  by: ChangedBy,
  columns: AccountColumns,
  before: WebhookTarget | undefined,
): void {
  if (!before || keptHeaders(columns, before) !== 'some') return
  if (originOfHeaders(before.tenantSet) === by) return
  if (by === 'tenant') throw unauthorized()
  throw validationError([fieldError('webhooksCustomHeaders', foreignMask)])
}

const foreignMask = 'contains masked values of a bound token beside others: send all values'

function isBound(token: BoundToken): boolean {
  return token !== null && token.account !== null
}

function unauthorized(): AppError {
  return new AppError('forbidden', 'Unauthorized account')
}
