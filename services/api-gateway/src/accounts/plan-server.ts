import { type FieldError, fieldError, type ImapUpdate, type SmtpUpdate } from '@posthorn/contracts'
import type { LockedAccount } from '../store/accounts.ts'
import type { PasswordKind } from '../store/credentials.ts'
import { mask } from '../http/masks.ts'

export type ServerKind = Exclude<PasswordKind, 'oauth2'>

/** What becomes of the password of one server, or of the grant; none of these: it stays. */
export type PasswordPlan = { kind: PasswordKind } & ({ seal: string } | { forget: true })

/** A server as it is to be, not yet looked at. */
export type ServerInput = Omit<ImapUpdate | SmtpUpdate, 'partial'> &
  Pick<ImapUpdate, 'disabled'> & { host?: string; port?: number }

/** What there is of an account: its servers, and for which of them a password is stored. */
export type StoredServers = Pick<LockedAccount, 'imap' | 'smtp' | 'oauth2' | 'passwords'>

export interface ServerPlan {
  /** Absent: it stays as it is. */
  column?: object | null
  passwords: PasswordPlan[]
}

interface Circumstances {
  stored: StoredServers | undefined
  /** The account has OAuth2: servers without a login of their own are logged in to by that. */
  byOAuth2: boolean
  errors: FieldError[]
}

/** What a registration makes of one of the two servers; what is wrong with it is added to `errors`. */
export function planServer(
  kind: ServerKind,
  given: ServerInput | false | undefined,
  { stored, byOAuth2, errors }: Circumstances,
): ServerPlan {
  const forget = [{ kind, forget: true }] as const
  if (given === undefined) return { passwords: [] }
  if (given === false) return { column: null, passwords: [...forget] }
  errors.push(...addressErrors(kind, given), ...loginErrors(kind, given, { stored, byOAuth2 }))
  const { auth, ...rest } = kind === 'smtp' ? withStartTls(given) : given
  const settings = { ...rest, secure: rest.secure ?? false }
  // Whom to log in as, and with what, the authentication server says.
  if (!auth || settings.useAuthServer) return { column: settings, passwords: [...forget] }
  const { user, pass = mask } = auth
  return {
    column: { ...settings, auth: { user } },
    passwords: pass === mask ? [] : [{ kind, seal: pass }],
  }
}

/** An incoming server that is not to be used need not be named. */
function addressErrors(kind: ServerKind, given: ServerInput): FieldError[] {
  if (kind === 'imap' && given.disabled) return []
  const missing = (['host', 'port'] as const).filter((name) => given[name] === undefined)
  return missing.map((name) => fieldError(`${kind}.${name}`, 'is required'))
}

/** Outgoing servers may take mail without a login; incoming ones may not, unless they are not to be used. */
function loginErrors(
  kind: ServerKind,
  given: ServerInput,
  { stored, byOAuth2 }: Omit<Circumstances, 'errors'>,
): FieldError[] {
  const { auth, useAuthServer, disabled } = given
  if (useAuthServer)
    return auth ? [fieldError(`${kind}.auth`, 'is not allowed with useAuthServer')] : []
  if (!auth)
    return kind === 'imap' && !disabled && !byOAuth2 ? [fieldError('imap.auth', 'is required')] : []
  if (auth.pass !== mask) return auth.pass ? [] : [fieldError(`${kind}.auth.pass`, 'is required')]
  if (!stored?.passwords.includes(kind)) return [fieldError(`${kind}.auth.pass`, 'is required')]
  // Whoever may change an account, and not read its password, would have it sent to a server of theirs.
  return hostOf(stored[kind]) === hostOf(given)
    ? []
    : [fieldError(`${kind}.auth.pass`, 'is required for another host')]
}

function hostOf(server: { host?: string } | null): string | undefined {
  return server?.host?.toLowerCase()
}

/** Interface spec, "Account", rule 2: TLS from the start is for port 465 alone. */
function withStartTls(server: ServerInput): ServerInput {
  return server.port === 465 ? server : { ...server, secure: false }
}
