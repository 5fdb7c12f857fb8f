import { AppError } from '@posthorn/errors'
import { type Static, Type } from 'typebox'
import type { ImapConfig } from './mail-server.ts'
import { defined } from '../defined.ts'

/**
 * Mail server and user for which a stored password may be used. The destination is sealed together
 * with the password, so that a service that may change registrations cannot have the password sent
 * to another server.
 */
export const Destination = Type.Object({
  host: Type.String(),
  port: Type.Integer(),
  user: Type.String(),
  /** True if TLS protects the connection to the mail server from the start. */
  secure: Type.Boolean(),
  /** True if the login is never sent unencrypted to the mail server. */
  encrypts: Type.Boolean(),
  /** True if the certificate of the mail server is checked. */
  verifies: Type.Boolean(),
  /** Lowest TLS version that is accepted from the mail server. */
  minVersion: Type.Optional(Type.String()),
  /** Scheme, host and port of the proxy through which the account connects to the mail server. */
  proxy: Type.Optional(Type.String()),
})
export type Destination = Static<typeof Destination>

/** Mail server of an account as registered. A disabled mail server may have no address. */
export interface RegisteredServer {
  host?: string | undefined
  port?: number | undefined
  secure?: boolean | undefined
  tls?: ImapConfig['tls'] | undefined
}

/**
 * Destination of the login at a registered mail server. For an access token, the user is empty,
 * because only the server matters.
 */
export function destinationOf(
  { host = '', port = 0, secure = false, tls }: RegisteredServer,
  { user = '', proxy }: { user?: string | undefined; proxy?: string | null | undefined } = {},
): Destination {
  return {
    host: host.toLowerCase(),
    port,
    user,
    secure,
    encrypts: secure || tls?.requireStartTls !== false,
    verifies: tls?.rejectUnauthorized !== false,
    ...defined({ minVersion: tls?.minVersion, proxy: proxy ? originOf(proxy) : undefined }),
  }
}

/**
 * Scheme, host and port of an account's proxy. The login in the URL is left out, because it is
 * sealed (encrypted) and its sealed form changes with the seal key.
 */
function originOf(address: string): string {
  const url = URL.parse(address)
  return url ? `${url.protocol}//${url.host}` : address
}

/** Names of the TLS versions in ascending order. */
const versions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']
const rankOf = ({ minVersion = 'TLSv1.2' }: Destination) => versions.indexOf(minVersion)

/**
 * True if a password that was sealed for the destination `bound` may be sent to the destination
 * `actual`. Server and user must be equal, and the protection must not be weaker. A verified,
 * encrypted connection may use any proxy.
 */
export function permits(bound: Destination, actual: Destination): boolean {
  const isSame = (['host', 'port', 'user'] as const).every((part) => bound[part] === actual[part])
  const isWeaker =
    (['secure', 'encrypts', 'verifies'] as const).some((part) => bound[part] && !actual[part]) ||
    rankOf(actual) < rankOf(bound)
  const isProtected = actual.encrypts && actual.verifies
  return isSame && !isWeaker && (isProtected || bound.proxy === actual.proxy)
}

/**
 * Checks that credentials from auth-bridge are for the mail server to which the caller will
 * connect. The caller and auth-bridge read the registration of the account at different times, and
 * the registration may have changed in between.
 *
 * @throws AppError `unavailable`
 */
export function assertDestination(
  { user, destination }: { user: string; destination?: Destination | undefined },
  server: RegisteredServer,
  proxy: string | null,
): void {
  if (!destination) return
  const named = destination.user === '' ? {} : { user }
  if (!permits(destination, destinationOf(server, { ...named, proxy })))
    throw new AppError('unavailable', 'The credentials are for another server', {
      code: 'DestinationMismatch',
    })
}
