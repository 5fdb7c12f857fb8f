import { defined } from '@posthorn/contracts/defined'
import type { SessionAuth, ClientSession, ClientSessions } from '@posthorn/mail-frontend'
import type { Logger } from '@posthorn/telemetry'
import type { MailClient } from './client/mail-client.ts'
import type { ImapProxyMetrics } from './metrics.ts'
import { Relay } from './relay.ts'
import type { Upstream } from './upstream/upstream.ts'

export interface RelayDeps {
  sessions: ClientSessions
  metrics: ImapProxyMetrics
  log: Logger
}

/** Login accepted by this proxy and by the account's server. */
export interface AuthenticatedLogin {
  account: string
  auth: SessionAuth
  upstream: Upstream
  /** Session permit of the account. */
  permit: Disposable
}

/** Confirms the login to the client and starts relaying. */
export function startRelay(
  client: MailClient,
  tag: string,
  { deps, login }: { deps: RelayDeps; login: AuthenticatedLogin },
): void {
  const { account, upstream } = login
  client.write(
    `* CAPABILITY ${upstream.capabilities.join(' ')}`,
    `${tag} OK ${printable(account)} authenticated`,
  )
  if (upstream.rest.length > 0) client.socket.write(upstream.rest)
  // Bytes that the client has pipelined after the login command are the first bytes for the server.
  const rest = client.takeRest()
  if (rest.length > 0) upstream.socket.write(rest)
  const relay = new Relay({
    client: client.socket,
    upstream: upstream.socket,
    sent: rest,
    bytes: deps.metrics.bytes,
    ...defined({ reader: upstream.reader }),
  })
  registerSession(deps, relay, { ...login, address: client.address })
}

/**
 * Registers the session until it is closed. The closure of this function is all memory of a session
 * besides its sockets.
 */
function registerSession(
  { sessions, log }: RelayDeps,
  relay: Relay,
  { account, address, auth, permit }: Omit<AuthenticatedLogin, 'upstream'> & { address: string },
): void {
  const session: ClientSession = {
    auth,
    account,
    address,
    get isBusy() {
      return relay.isBusy
    },
    end(reason) {
      log.info({ account, address, reason }, 'session ended')
      relay.end(reason)
    },
  }
  sessions.add(session)
  log.info({ account, address }, 'session started')
  relay.onClose = () => {
    sessions.delete(session)
    permit[Symbol.dispose]()
    log.info({ account, address }, 'session closed')
  }
}

/** Replaces control characters: account ids are chosen by API callers and must not end the line. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, '?')
}
