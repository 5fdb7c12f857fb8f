import { AppError } from '@posthorn/errors'
import { type Static, Type } from 'typebox'
import type { ImapConfig } from './mail-server.ts'
import { defined } from '../defined.ts'

/**
 * Mail server and user that a stored password is for. Sealed together with the password, so that a
 * service that may change the registration cannot have the password sent elsewhere.
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
  /** Origin of the account's proxy for the connection to the mail server. */
  proxy: Type.Optional(Type.String()),
})
export type Destination = Static<typeof Destination>

/** Mail server of an account as registered; a disabled server may have no address. */
export interface RegisteredServer {
  host?: string | undefined
  port?: number | undefined
  secure?: boolean | undefined
  tls?: ImapConfig['tls'] | undefined
}

/**
 * Destination of the login at a registered mail server. An access token is for its server, with any
 * user.
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
 * Address of an account's proxy without the login, which is sealed and changes with the seal key.
 */
function originOf(address: string): string {
  const url = URL.parse(address)
  return url ? `${url.protocol}//${url.host}` : address
}

/** Names of the TLS versions in ascending order. */
const versions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']
const rankOf = ({ minVersion = 'TLSv1.2' }: Destination) => versions.indexOf(minVersion)

/**
 * True if a password that is sealed for the destination `bound` may be sent to `actual`: same mail
 * server and user, and no weaker protection. A verified, encrypted connection may take any proxy.
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
 * Checks that credentials received from auth-bridge are for the mail server that the caller
 * connects to. The registration may have changed between the read of the caller and the read of
 * auth-bridge.
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
