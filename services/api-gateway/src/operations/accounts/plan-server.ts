import { type FieldError, fieldError, type ImapConfig, type SmtpConfig } from '@posthorn/contracts'
import type { StoredServer } from '@posthorn/db'
import type { PasswordKind } from '../../store/credentials.ts'
import { mask } from '../masks.ts'

/** What becomes of the password of one server; none of these: it stays. */
export type PasswordPlan = { kind: PasswordKind } & ({ seal: string } | { forget: true })

export type Server = ImapConfig | SmtpConfig

export interface ServerPlan {
  /** Absent: it stays as it is. */
  column?: StoredServer<Server> | null
  passwords: PasswordPlan[]
}

/** What a registration makes of one of the two servers; what is wrong with it is added to `errors`. */
export function planServer(
  kind: PasswordKind,
  given: Server | false | undefined,
  { known, errors }: { known: readonly PasswordKind[]; errors: FieldError[] },
): ServerPlan {
  const forget = [{ kind, forget: true }] as const
  if (given === undefined) return { passwords: [] }
  if (given === false) return { column: null, passwords: [...forget] }
  const error = loginError(kind, given, known)
  if (error) errors.push(error)
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

/** Outgoing servers may take mail without a login; incoming ones may not, unless they are not to be used. */
function loginError(
  kind: PasswordKind,
  given: Server,
  known: readonly PasswordKind[],
): FieldError | undefined {
  const { auth, useAuthServer } = given
  if (useAuthServer)
    return auth ? fieldError(`${kind}.auth`, 'is not allowed with useAuthServer') : undefined
  if (!auth) {
    const needed = kind === 'imap' && !('disabled' in given && given.disabled)
    return needed ? fieldError('imap.auth', 'is required') : undefined
  }
  const hasPassword = auth.pass === mask ? known.includes(kind) : Boolean(auth.pass)
  return hasPassword ? undefined : fieldError(`${kind}.auth.pass`, 'is required')
}

/** Interface spec, "Account", rule 2: TLS from the start is for port 465 alone. */
function withStartTls(server: SmtpConfig): SmtpConfig {
  return server.port === 465 ? server : { ...server, secure: false }
}
