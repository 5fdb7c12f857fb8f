import {
  type FieldError,
  fieldError,
  type OAuth2Config,
  type OAuth2Update,
  parseDate,
} from '@posthorn/contracts'
import type { StoredOAuth2 } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { AppForAccount } from '../store/oauth2-apps.ts'
import { mask } from '../http/masks.ts'
import type { PasswordPlan } from './plan-server.ts'

/** OAuth2 of an account as it is to be, not yet looked at. */
export type OAuth2Input = OAuth2Config & Pick<OAuth2Update, 'partial'>

export interface OAuth2Plan {
  /** Absent: it stays as it is. */
  column?: StoredOAuth2 | null
  passwords: PasswordPlan[]
}

interface Circumstances {
  stored: { oauth2: StoredOAuth2 | null } | undefined
  /** The application that is meant, if there is such a one. */
  app: AppForAccount | undefined
  errors: FieldError[]
}

/** What a registration makes of the OAuth2 of an account; what is wrong with it is added to `errors`. */
export function planOAuth2(
  given: OAuth2Input | false | undefined,
  { stored, app, errors }: Circumstances,
): OAuth2Plan {
  if (given === undefined) return { passwords: [] }
  if (given === false) return { column: null, passwords: [{ kind: 'oauth2', forget: true }] }
  const before = stored?.oauth2 ?? undefined
  const merged = given.partial ? { ...before, ...given } : given
  const auth = given.partial ? { ...before?.auth, ...given.auth } : given.auth
  const { provider, useAuthServer } = merged
  const full = { ...merged, ...(auth === undefined ? {} : { auth }) }
  errors.push(...loginErrors(full), ...tokenErrors(given), ...appErrors(full, app))
  const column = {
    provider: provider ?? '',
    ...(useAuthServer === undefined ? {} : { useAuthServer }),
    ...(auth === undefined ? {} : { auth }),
  }
  return { column, passwords: grantPlan(given, { before, column }) }
}

/** What accounts of applications for an API would be, once there are such. */
export function assertForMail(app: AppForAccount | undefined): void {
  if (app && (app.config.baseScopes ?? 'imap') !== 'imap')
    throw new AppError('invalid', 'Accounts of applications for an API cannot be registered yet', {
      code: 'UnsupportedOperation',
    })
}

function loginErrors({ authorize, auth, redirectUrl }: OAuth2Input): FieldError[] {
  const errors: FieldError[] = []
  if (!authorize && auth === undefined) errors.push(fieldError('oauth2.auth', 'is required'))
  if (authorize && redirectUrl === undefined)
    errors.push(fieldError('oauth2.redirectUrl', 'is required with oauth2.authorize'))
  if (!authorize && redirectUrl !== undefined)
    errors.push(fieldError('oauth2.redirectUrl', 'is for oauth2.authorize alone'))
  if (auth?.delegatedAccount !== undefined && auth.delegatedUser === undefined)
    errors.push(fieldError('oauth2.auth.delegatedUser', 'is required with delegatedAccount'))
  return errors
}

/** What there is cannot be read here, so that one token of it cannot be kept beside a new one. */
function tokenErrors({ accessToken, refreshToken }: OAuth2Input): FieldError[] {
  const isNew = (token: string | undefined) => token !== undefined && token !== mask
  if (isNew(accessToken) && refreshToken === mask)
    return [fieldError('oauth2.refreshToken', 'is required with another access token')]
  return []
}

function appErrors({ provider, authorize }: OAuth2Input, app: AppForAccount | undefined) {
  if (provider === undefined) return [fieldError('oauth2.provider', 'is required')]
  if (!app) return [fieldError('oauth2.provider', 'is no application that is known')]
  return authorize && app.provider.endsWith('Service')
    ? [fieldError('oauth2.authorize', 'is not possible: nobody consents to a service account')]
    : []
}

/** A grant goes to no other application than it was given for; the old one is forgotten with that. */
function grantPlan(
  { accessToken, refreshToken, expires }: OAuth2Input,
  { before, column }: { before: StoredOAuth2 | undefined; column: StoredOAuth2 },
): PasswordPlan[] {
  const tokens = Object.entries({ accessToken, refreshToken }).filter(
    ([, token]) => token !== undefined && token !== mask,
  )
  const end = expires === undefined ? undefined : parseDate(expires)?.getTime()
  if (tokens.length > 0) {
    const grant = { ...Object.fromEntries(tokens), ...(end === undefined ? {} : { expires: end }) }
    return [{ kind: 'oauth2', seal: JSON.stringify(grant) }]
  }
  const isAnother = before !== undefined && before.provider !== column.provider
  return isAnother ? [{ kind: 'oauth2', forget: true }] : []
}
