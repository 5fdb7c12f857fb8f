import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import {
  connect,
  createSecureContext,
  type SecureContext,
  type SecureVersion,
  type TLSSocket,
} from 'node:tls'
import { AppError, messageOf } from '@posthorn/errors'
import { ignoreErrors } from './ignore-errors.ts'
import type { TlsTickets } from './tls-tickets.ts'

export interface TlsServer {
  host: string
  port: number
  rejectUnauthorized: boolean
  minVersion: SecureVersion | undefined
  /** URL of a proxy that it is reached through. */
  proxy?: string
}

/** One for each lowest version: each would have keys, ciphers and roots of its own, for every session. */
const contexts = new Map<SecureVersion, SecureContext>()

/** Goes over to TLS with a server. Its certificate and name are checked unless the account says otherwise. */
export async function toTls(
  server: TlsServer,
  socket: Socket,
  tickets: TlsTickets,
): Promise<TLSSocket> {
  const { host, rejectUnauthorized, minVersion = 'TLSv1.2' } = server
  const session = tickets.find(server)
  const secure = connect({
    socket,
    rejectUnauthorized,
    secureContext: contextFor(minVersion),
    ...(session ? { session } : {}),
    ...(isIP(host) === 0 ? { servername: host } : { host }),
  })
  secure.on('error', ignoreErrors)
  secure.once('session', (next: Buffer) => tickets.keep(server, next))
  const closed = new AbortController()
  const onClose = () => closed.abort()
  secure.once('close', onClose)
  try {
    await once(secure, 'secureConnect', { signal: closed.signal })
    return secure
  } catch (cause) {
    tickets.forget(server)
    throw new AppError('unreachable', `The mail server cannot be reached (${messageOf(cause)})`, {
      cause,
    })
  } finally {
    secure.off('close', onClose)
  }
}

function contextFor(minVersion: SecureVersion): SecureContext {
  const context = contexts.get(minVersion) ?? createSecureContext({ minVersion })
  contexts.set(minVersion, context)
  return context
}
