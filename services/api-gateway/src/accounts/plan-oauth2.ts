import { type Backend, oauth2ProviderTraits } from '@posthorn/contracts/account-types'
import { defined } from '@posthorn/contracts/defined'
import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import { parseDate } from '@posthorn/contracts/formats'
import type { OAuth2Config, OAuth2Update } from '@posthorn/contracts/schemas/account-oauth2'
import type { StoredOAuth2, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { mask } from '../http/masks.ts'
import { findOtherAccountOfUser } from '../store/accounts/account-users.ts'
import type { LockedAccount } from '../store/accounts/accounts.ts'
import { type AppForAccount, lockAppForAccount } from '../store/oauth2/oauth2-apps.ts'
import type { PasswordPlan } from './plan-server.ts'

/** OAuth2 settings of an account in a request, not validated beyond their schema. */
export type OAuth2Input = OAuth2Config & Pick<OAuth2Update, 'partial'>

export interface OAuth2Plan {
  /** Changed OAuth2 settings of the account; absent if the OAuth2 settings do not change. */
  column?: StoredOAuth2 | null
  passwords: PasswordPlan[]
}

interface OAuth2Context {
  stored: { oauth2: StoredOAuth2 | null } | undefined
  /**
   * OAuth2 application that the account request names; undefined if the application does not exist.
   */
  app: AppForAccount | undefined
  errors: FieldError[]
}

/**
 * Mail system of the accounts of an OAuth2 application. Undefined for an application for Pub/Sub,
 * or for an API application of a provider without a mail API.
 */
export function backendOf({
  provider,
  config,
}: Pick<AppForAccount, 'provider' | 'config'>): Backend | undefined {
  const { baseScopes = 'imap' } = config
  if (baseScopes === 'imap') return 'imap'
  return baseScopes === 'api' ? oauth2ProviderTraits[provider].api : undefined
}

/** True if accounts can use the OAuth2 application. False for an application for Pub/Sub. */
export function acceptsAccounts(app: Pick<AppForAccount, 'provider' | 'config'>): boolean {
  return backendOf(app) !== undefined
}

const defaultReading = /(?:gmail\.modify|mail\.readwrite)$/i
const anyReading = /(?:gmail\.(?:modify|readonly)|mail\.google\.com\/|mail\.read\w*(?:\.shared)?)$/i

/**
 * True if the grants of an OAuth2 application for a mail API permit sending but not reading:
 * `skipScopes` has the default scope for reading, and `extraScopes` has no scope for reading. The
 * scope `.default` names no permissions.
 */
export function isSendOnlyApp(app: Pick<AppForAccount, 'provider' | 'config'>): boolean {
  const { skipScopes = [], extraScopes = [] } = app.config
  return (
    app.config.baseScopes === 'api' &&
    !oauth2ProviderTraits[app.provider].hasDefaultScope &&
    skipScopes.some((scope) => defaultReading.test(scope)) &&
    !extraScopes.some((scope) => anyReading.test(scope))
  )
}

/**
 * Finds the OAuth2 application that a registration names, or that the account uses.
 *
 * @throws AppError `invalid` `UnsupportedOperation` if the application has no accounts, or the
 * account has another mail system, which is fixed at its registration
 */
export async function findAppFor(
  tx: Tx,
  input: OAuth2Input | false | undefined,
  stored: Pick<LockedAccount, 'backend' | 'oauth2'> | undefined,
): Promise<AppForAccount | undefined> {
  if (!input) return undefined
  const id = input.provider ?? (input.partial ? stored?.oauth2?.provider : undefined)
  const app = id === undefined ? undefined : await lockAppForAccount(tx, id)
  if (!app) return undefined
  if (!acceptsAccounts(app)) throw unsupported('The application has no accounts')
  if (stored && backendOf(app) !== stored.backend)
    throw unsupported('The application is for accounts of another mail system')
  return app
}

function unsupported(message: string): AppError {
  return new AppError('invalid', message, { code: 'UnsupportedOperation' })
}

/**
 * Checks that no other account logs in as the same OAuth2 user.
 *
 * @throws AppError `invalid` `AccountAlreadyExists`
 */
export async function assertUserUnique(
  tx: Tx,
  account: string,
  oauth2: string | null | undefined,
): Promise<void> {
  if (!oauth2) return
  const stored = JSON.parse(oauth2) as StoredOAuth2
  const existingAccount = await findOtherAccountOfUser(tx, account, stored)
  if (existingAccount === undefined) return
  throw new AppError('invalid', 'Another account logs in as this user already', {
    code: 'AccountAlreadyExists',
    extras: { existingAccount },
  })
}

/** Plans the change of an account's OAuth2 settings. Adds field errors to `errors`. */
export function planOAuth2(
  input: OAuth2Input | false | undefined,
  { stored, app, errors }: OAuth2Context,
): OAuth2Plan {
  if (input === undefined) return { passwords: [] }
  if (input === false) return { column: null, passwords: [{ kind: 'oauth2', forget: true }] }
  const before = stored?.oauth2 ?? undefined
  const merged = input.partial ? { ...before, ...input } : input
  const auth = input.partial ? { ...before?.auth, ...input.auth } : input.auth
  const { provider } = merged
  const useAuthServer = usesAuthServer(input, before)
  const complete = { ...merged, ...defined({ auth, useAuthServer }) }
  errors.push(...loginErrors(complete), ...tokenErrors(input), ...appErrors(complete, app))
  errors.push(...(useAuthServer ? authServerErrors(input) : []))
  const column = { provider: provider ?? '', ...defined({ useAuthServer, auth }) }
  return { column, passwords: planGrant(input, before, column) }
}

/**
 * Value of `oauth2.useAuthServer` after a change. In a partial update that does not set
 * `useAuthServer`, new tokens or a sign-in switch the stored authentication server off.
 */
function usesAuthServer(input: OAuth2Input, before: StoredOAuth2 | undefined): boolean | undefined {
  if (!input.partial || input.useAuthServer !== undefined) return input.useAuthServer
  const isReplaced = input.authorize || tokenNames.some((name) => isNew(input[name]))
  return before?.useAuthServer && isReplaced ? false : before?.useAuthServer
}

const tokenNames = ['accessToken', 'refreshToken'] as const

/** True for an OAuth2 token to store; false for the mask that stands for the stored token. */
function isNew(token: string | undefined): boolean {
  return token !== undefined && token !== mask
}

/**
 * Errors for credentials beside `oauth2.useAuthServer`. Interface spec, "Account", rule 3: an
 * account with `useAuthServer` has no stored credentials.
 */
function authServerErrors(input: OAuth2Input): FieldError[] {
  const names = [...tokenNames, 'authorize'] as const
  return names
    .filter((name) => input[name] !== undefined && input[name] !== false)
    .map((name) => fieldError(`oauth2.${name}`, 'is not allowed with useAuthServer'))
}

function loginErrors({ authorize, auth, redirectUrl }: OAuth2Input): FieldError[] {
  const errors: FieldError[] = []
  if (!authorize && auth === undefined) errors.push(fieldError('oauth2.auth', 'is required'))
  if (authorize && redirectUrl === undefined)
    errors.push(fieldError('oauth2.redirectUrl', 'is required with oauth2.authorize'))
  if (!authorize && redirectUrl !== undefined)
    errors.push(fieldError('oauth2.redirectUrl', 'is for oauth2.authorize only'))
  if (auth?.delegatedAccount !== undefined && auth.delegatedUser === undefined)
    errors.push(fieldError('oauth2.auth.delegatedUser', 'is required with delegatedAccount'))
  return errors
}

/**
 * Errors of the OAuth2 tokens of a request. A new access token is rejected beside the mask of the
 * stored refresh token: api-gateway cannot unseal the stored grant to keep the refresh token.
 */
function tokenErrors({ accessToken, refreshToken }: OAuth2Input): FieldError[] {
  if (isNew(accessToken) && refreshToken === mask)
    return [fieldError('oauth2.refreshToken', 'is required with another access token')]
  return []
}

function appErrors({ provider, authorize }: OAuth2Input, app: AppForAccount | undefined) {
  if (provider === undefined) return [fieldError('oauth2.provider', 'is required')]
  if (!app) return [fieldError('oauth2.provider', 'is not an existing application')]
  return authorize && oauth2ProviderTraits[app.provider].login === 'service'
    ? [fieldError('oauth2.authorize', 'is not possible with a service account')]
    : []
}

/**
 * Plans the change of an account's OAuth2 grant. A grant belongs to its application: another
 * application or `useAuthServer` deletes the grant.
 */
function planGrant(
  { accessToken, refreshToken, expires }: OAuth2Input,
  before: StoredOAuth2 | undefined,
  column: StoredOAuth2,
): PasswordPlan[] {
  if (column.useAuthServer) return [{ kind: 'oauth2', forget: true }]
  const tokens = Object.entries({ accessToken, refreshToken }).filter(([, token]) => isNew(token))
  if (tokens.length > 0) {
    const end = expires === undefined ? undefined : parseDate(expires)?.getTime()
    const grant = { ...Object.fromEntries(tokens), ...defined({ expires: end }) }
    return [{ kind: 'oauth2', seal: JSON.stringify(grant) }]
  }
  const isAnother = before !== undefined && before.provider !== column.provider
  return isAnother ? [{ kind: 'oauth2', forget: true }] : []
}
