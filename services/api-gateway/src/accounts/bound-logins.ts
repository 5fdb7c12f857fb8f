import { fieldError } from '@posthorn/contracts/describe-error'
import { type Destination, destinationOf, permits } from '@posthorn/contracts/schemas/destination'
import { describeProvider } from '@posthorn/contracts/schemas/oauth2-app'
import { validationError } from '@posthorn/contracts/validate'
import type { Binding } from '@posthorn/secrets'
import type { LockedAccount } from '../store/accounts/accounts.ts'
import type { PasswordKind } from '../store/accounts/credentials.ts'
import type { AppForAccount } from '../store/oauth2/oauth2-apps.ts'
import { secretNameOf } from './login-secret.ts'
import type { PasswordPlan } from './plan-server.ts'
import { afterChange, type LoginAccount, type LoginColumns } from './stored-login.ts'

/*
 * A stored login is sealed together with its destination, and auth-bridge issues the login for no
 * other destination. This service cannot unseal the login, so a change of the destination needs the
 * login again.
 */

const servers = ['imap', 'smtp'] as const

/**
 * Purpose of an account's credential, which its encryption authenticates. `app` is the OAuth2
 * application of a grant. The purpose of an access token has the member `form`, so that auth-bridge
 * never issues a token as a password.
 */
export function bindingOf(
  account: LoginAccount,
  kind: PasswordKind,
  app: AppForAccount | undefined,
): Binding {
  if (kind !== 'oauth2') {
    const secret = secretNameOf(account[kind]?.auth || {})
    const form = secret === 'accessToken' ? { form: secret } : {}
    return { to: passwordDestination(account, kind), ...form }
  }
  const provider = app && describeProvider(app)
  return { app: account.oauth2?.provider, provider, servers: tokenServersOf(account) }
}

function passwordDestination(
  { proxy, ...account }: LoginAccount,
  kind: (typeof servers)[number],
): Destination {
  const { auth, ...server } = account[kind] ?? {}
  return destinationOf(server, { user: auth ? auth.user : undefined, proxy })
}

/** Mail servers that get the access token of an account: servers without a login of their own. */
function tokenServersOf({ proxy, ...account }: LoginAccount): Destination[] {
  return servers.flatMap((kind) => {
    const server = account[kind]
    return !server || server.auth || server.useAuthServer ? [] : [destinationOf(server, { proxy })]
  })
}

interface LoginChange {
  columns: LoginColumns
  passwords: readonly PasswordPlan[]
}

/**
 * Requires a stored password or access token of a mail server again if the server, port or user
 * changes, if the connection gets less protection, or if an unprotected connection gets another
 * proxy.
 *
 * @throws AppError `invalid` with `fields`
 */
export function assertPasswordsFit(
  before: LoginAccount & Pick<LockedAccount, 'passwords'>,
  { columns, passwords }: LoginChange,
): void {
  const after = afterChange(before, columns)
  const errors = servers
    .filter((kind) => isKept(before, kind, passwords))
    .filter((kind) => after[kind]?.auth && !after[kind].useAuthServer)
    .filter((kind) => !permits(passwordDestination(before, kind), passwordDestination(after, kind)))
    .map((kind) => {
      const name = secretNameOf(before[kind]?.auth || {})
      return fieldError(`${kind}.auth.${name}`, passwordRequired)
    })
  if (errors.length > 0) throw validationError(errors)
}

export const passwordRequired =
  'is required again for another host, port, user or proxy, or for less protection'

/**
 * Requires the tokens of an OAuth2 account again if they would be sent to another server.
 *
 * @throws AppError `invalid` with `fields`
 */
export function assertTokensFit(
  before: LoginAccount & Pick<LockedAccount, 'passwords'>,
  { columns, passwords }: LoginChange,
): void {
  const after = afterChange(before, columns)
  if (!isKept(before, 'oauth2', passwords) || !after.oauth2 || after.oauth2.useAuthServer) return
  const bound = tokenServersOf(before)
  const isOther = tokenServersOf(after).some((server) => !bound.some((one) => permits(one, server)))
  if (isOther)
    throw validationError([
      fieldError('oauth2.refreshToken', 'is required again for another server or less protection'),
    ])
}

function isKept(
  { passwords: stored }: Pick<LockedAccount, 'passwords'>,
  kind: PasswordKind,
  plans: readonly PasswordPlan[],
): boolean {
  return stored.includes(kind) && !plans.some((plan) => plan.kind === kind)
}
