import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import { mask } from '../http/masks.ts'

/** Mail server login of a request: a password, or an access token that the caller manages. */
export interface LoginInput {
  user: string
  pass?: string
  /** Access token of a mail server login. False and an empty text stand for no access token. */
  accessToken?: string | false
}

/** Mail server login as stored, without its secret. */
interface StoredLogin {
  user: string
  accessToken?: true
}

/** Member of a mail server login that contains the secret of the login. */
type SecretName = 'pass' | 'accessToken'

/** Member that contains the secret of a mail server login, in a request or as stored. */
export function secretNameOf({ accessToken }: { accessToken?: unknown }): SecretName {
  return accessToken ? 'accessToken' : 'pass'
}

/**
 * Secret of a mail server login in a request, or the mask that stands for the stored secret.
 * Undefined if the login has no secret.
 */
export function secretOf({ pass, accessToken }: LoginInput): string | undefined {
  return accessToken || pass || undefined
}

/** Mail server login without its secret, but with the kind of the secret. */
export function withoutSecret({ user, accessToken }: LoginInput): StoredLogin {
  return { user, ...(accessToken && { accessToken: true as const }) }
}

/** Mail server login with a mask in place of its secret, as returned by the API. */
export function maskedLogin(login: StoredLogin): { user: string } & { [K in SecretName]?: string } {
  return { user: login.user, [secretNameOf(login)]: mask }
}

/**
 * Returns the field errors of a mail server login without a secret, or with two secrets. `path`:
 * field of the login.
 */
export function secretErrors(path: string, login: LoginInput): FieldError[] {
  if (login.accessToken && login.pass !== undefined)
    return [fieldError(`${path}.accessToken`, 'is not allowed with pass, send one of them')]
  return secretOf(login) === undefined ? [fieldError(`${path}.pass`, 'is required')] : []
}

/**
 * Completes the mail server login of a partial update. If the update has no secret, the stored
 * secret of the same user stays, represented by a mask. `accessToken: false` removes a stored
 * access token.
 */
export function keepSecret<L extends LoginInput>(
  login: L,
  stored: StoredLogin | false | undefined,
): L | LoginInput {
  const isKept = stored && stored.user === login.user && secretOf(login) === undefined
  const isRemoved = stored && stored.accessToken && login.accessToken === false
  return isKept && !isRemoved && login.pass === undefined ? maskedLogin(stored) : login
}
