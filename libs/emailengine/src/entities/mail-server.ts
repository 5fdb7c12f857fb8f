import { isObject } from '../decode.ts'
import { compact, isUnset, toBoolean, toInteger, toText, withoutMembers } from './values.ts'

/**
 * Port of outgoing mail servers with TLS from the start (RFC 8314 §3.3). Other ports use STARTTLS.
 */
const submissionsPort = 465

export interface MappedServer {
  server: unknown
  changes: string[]
}

/**
 * Maps the incoming or outgoing mail server of an EmailEngine account to the members of Posthorn's
 * API.
 */
export function mapMailServer(kind: 'imap' | 'smtp', value: unknown): MappedServer {
  if (!isObject(value)) return { server: value || undefined, changes: [] }
  const changes: string[] = []
  const useAuthServer = toBoolean(value['useAuthServer'])
  const auth = useAuthServer === true ? undefined : mapLogin(kind, value['auth'], changes)
  const port = toInteger(value['port'])
  let secure = toBoolean(value['secure'])
  if (kind === 'smtp' && secure === true && port !== submissionsPort) {
    secure = false
    changes.push(`smtp.secure: STARTTLS is used, because the port is not ${submissionsPort}`)
  }
  return {
    server: compact({
      ...withoutMembers(value, ['partial', 'auth']),
      useAuthServer,
      auth,
      port,
      secure,
      host: toText(value['host']),
      disabled: toBoolean(value['disabled']),
      resyncDelay: toInteger(value['resyncDelay']),
      disableIMAP4rev2: toBoolean(value['disableIMAP4rev2']),
    }),
    changes,
  }
}

function mapLogin(kind: string, auth: unknown, changes: string[]): unknown {
  if (!isObject(auth)) return auth || undefined
  const { accessToken } = auth
  if (isUnset(accessToken) || accessToken === false) return withoutMembers(auth, ['accessToken'])
  if (!isUnset(auth['pass'])) changes.push(`${kind}.auth: the access token replaces the password`)
  return withoutMembers(auth, ['pass'])
}

/**
 * Returns the reason for which the login at a mail server of an imported account is not complete. A
 * server without a login of its own can use the OAuth2 login of the account.
 */
export function missingLogin(
  kind: 'imap' | 'smtp',
  server: unknown,
  hasOAuth2: boolean,
): string | undefined {
  if (!isObject(server) || server['useAuthServer'] === true) return undefined
  const { auth, disabled } = server
  if (!auth) {
    const isRequired = kind === 'imap' && disabled !== true && !hasOAuth2
    return isRequired ? 'imap.auth is missing' : undefined
  }
  const hasSecret = isObject(auth) && ['pass', 'accessToken'].some((name) => !isUnset(auth[name]))
  return hasSecret ? undefined : `${kind}.auth has no password and no access token`
}
