import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import {
  connect,
  createSecureContext,
  type SecureContext,
  type SecureVersion,
  type TLSSocket,
} from 'node:tls'
import { defined } from '@posthorn/contracts/defined'
import { AppError, messageOf } from '@posthorn/errors'
import { type Clock, TtlCache } from '@posthorn/flow'
import { ignoreErrors } from '../sockets.ts'

/** Mail server and the conditions of a TLS connection to the server. */
export interface TlsServer {
  host: string
  port: number
  rejectUnauthorized: boolean
  minVersion: SecureVersion | undefined
  /**
   * URL of the network proxy to the mail server; absent if the server is reached without a proxy.
   */
  proxy?: string
}

const sessionTtlMs = 60 * 60_000
const maxSessions = 2_000

/**
 * Cache of TLS sessions, one per mail server. A cached session saves certificate and signature in
 * the next handshake (RFC 8446 §2.2). A resumed handshake does not verify the host name again, so
 * the key contains all conditions of the connection.
 */
export class TlsSessionCache {
  readonly #sessions: TtlCache<string, Buffer>

  constructor(clock: Clock = Date.now) {
    this.#sessions = new TtlCache({ ttlMs: sessionTtlMs, max: maxSessions, clock })
  }

  get(server: TlsServer): Buffer | undefined {
    return this.#sessions.get(keyOf(server))
  }

  set(server: TlsServer, session: Buffer): void {
    this.#sessions.set(keyOf(server), session)
  }

  evict(server: TlsServer): void {
    this.#sessions.delete(keyOf(server))
  }
}

function keyOf({ host, port, rejectUnauthorized, minVersion, proxy }: TlsServer): string {
  return JSON.stringify([host, port, rejectUnauthorized, minVersion, proxy])
}

/**
 * TLS contexts of connections to mail servers, one per minimum TLS version. A separate context per
 * IMAP session would hold its own ciphers and root certificates.
 */
const contexts = new Map<SecureVersion, SecureContext>()

/**
 * Starts TLS with a mail server. Certificate and host name are verified unless the account disables
 * the verification.
 *
 * @throws AppError `unreachable`
 */
export async function startTls(
  server: TlsServer,
  socket: Socket,
  sessions: TlsSessionCache,
): Promise<TLSSocket> {
  const { host, rejectUnauthorized, minVersion = 'TLSv1.2' } = server
  const secure = connect({
    socket,
    rejectUnauthorized,
    secureContext: contextFor(minVersion),
    ...defined({ session: sessions.get(server) }),
    ...(isIP(host) === 0 ? { servername: host } : { host }),
  })
  secure.on('error', ignoreErrors)
  secure.once('session', (session: Buffer) => sessions.set(server, session))
  const closed = new AbortController()
  const onClose = () => closed.abort()
  secure.once('close', onClose)
  try {
    await once(secure, 'secureConnect', { signal: closed.signal })
    return secure
  } catch (cause) {
    sessions.evict(server)
    throw new AppError('unreachable', `The mail server is unreachable (${messageOf(cause)})`, {
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
