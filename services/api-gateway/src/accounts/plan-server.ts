import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import type { ImapUpdate, SmtpUpdate } from '@posthorn/contracts/schemas/mail-server'
import { mask } from '../http/masks.ts'
import type { LockedAccount } from '../store/accounts/accounts.ts'
import type { PasswordKind } from '../store/accounts/credentials.ts'
import {
  type LoginInput,
  secretErrors,
  secretNameOf,
  secretOf,
  withoutSecret,
} from './login-secret.ts'
import { changedLoginParts, loginOf } from './stored-login.ts'

export type ServerKind = Exclude<PasswordKind, 'oauth2'>

/**
 * Change of one stored credential of an account. Credentials without a planned change stay as they
 * are.
 */
export type PasswordPlan = { kind: PasswordKind } & ({ seal: string } | { forget: true })

/** Mail server settings of a request, not validated beyond their schema. */
export type ServerInput = Omit<ImapUpdate | SmtpUpdate, 'partial'> &
  Pick<ImapUpdate, 'disabled'> & { host?: string; port?: number }

/** Stored mail servers of an account, their login and the kinds of stored credentials. */
export type StoredServers = Pick<
  LockedAccount,
  'imap' | 'smtp' | 'oauth2' | 'email' | 'proxy' | 'passwords'
>

export interface ServerPlan {
  /** Changed mail server settings of the account; absent if the settings do not change. */
  column?: object | null
  passwords: PasswordPlan[]
}

interface ServerContext {
  stored: StoredServers | undefined
  /** True if the account has OAuth2, which mail servers without a login of their own use. */
  byOAuth2: boolean
  errors: FieldError[]
}

/** Plans the change of one mail server of an account. Adds field errors to `errors`. */
export function planServer(
  kind: ServerKind,
  input: ServerInput | false | undefined,
  { stored, byOAuth2, errors }: ServerContext,
): ServerPlan {
  const forget = [{ kind, forget: true }] as const
  if (input === undefined) return { passwords: [] }
  if (input === false) return { column: null, passwords: [...forget] }
  errors.push(...addressErrors(kind, input), ...loginErrors(kind, input, { stored, byOAuth2 }))
  const { auth, ...rest } = kind === 'smtp' ? withStartTls(input) : input
  const settings = { ...rest, secure: rest.secure ?? false }
  // Stores no credential for a mail server without a login. With `useAuthServer`, the
  // authentication server provides user and password.
  if (!auth || settings.useAuthServer) return { column: settings, passwords: [...forget] }
  const secret = secretOf(auth) ?? mask
  return {
    column: { ...settings, auth: withoutSecret(auth) },
    passwords: secret === mask ? [] : [{ kind, seal: secret }],
  }
}

/** Errors of the address of a mail server. A disabled IMAP server needs no address. */
function addressErrors(kind: ServerKind, input: ServerInput): FieldError[] {
  if (kind === 'imap' && input.disabled) return []
  const missing = (['host', 'port'] as const).filter((name) => input[name] === undefined)
  return missing.map((name) => fieldError(`${kind}.${name}`, 'is required'))
}

/**
 * Errors of the login in mail server settings. SMTP servers may need no login; IMAP servers always
 * need a login, unless disabled.
 */
function loginErrors(
  kind: ServerKind,
  input: ServerInput,
  { stored, byOAuth2 }: Omit<ServerContext, 'errors'>,
): FieldError[] {
  const { auth, useAuthServer, disabled } = input
  if (useAuthServer)
    return auth ? [fieldError(`${kind}.auth`, 'is not allowed with useAuthServer')] : []
  if (!auth)
    return kind === 'imap' && !disabled && !byOAuth2 ? [fieldError('imap.auth', 'is required')] : []
  return inputErrors(kind, { ...input, auth }, stored)
}

/**
 * Errors of a mail server login that the account configures itself. Valid are one secret, or the
 * mask that stands for the stored secret, if the host is unchanged.
 */
function inputErrors(
  kind: ServerKind,
  input: ServerInput & { auth: LoginInput },
  stored: StoredServers | undefined,
): FieldError[] {
  const { auth } = input
  const errors = secretErrors(`${kind}.auth`, auth)
  if (errors.length > 0 || secretOf(auth) !== mask) return errors
  const name = secretNameOf(auth)
  if (!stored || !hasSecret(stored, kind, name))
    return [fieldError(`${kind}.auth.${name}`, 'is required')]
  // Rejects the mask of a secret together with another host. A client could otherwise direct the
  // stored secret, which the client cannot read, to its own server.
  const changed = changedLoginParts(
    loginOf(stored, kind),
    loginOf({ ...stored, [kind]: input }, kind),
  )
  return changed.includes('host')
    ? [fieldError(`${kind}.auth.${name}`, 'is required for another host')]
    : []
}

function hasSecret(stored: StoredServers, kind: ServerKind, name: string): boolean {
  return stored.passwords.includes(kind) && secretNameOf(stored[kind]?.auth || {}) === name
}

/**
 * Mail server settings in which only port 465 uses implicit TLS (interface spec, "Account", rule
 * 2).
 */
function withStartTls(server: ServerInput): ServerInput {
  return server.port === 465 ? server : { ...server, secure: false }
}
