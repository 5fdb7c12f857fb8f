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

/** Login of a mail client that was accepted by the IMAP proxy and by the account's mail server. */
export interface AuthenticatedLogin {
  account: string
  auth: SessionAuth
  upstream: Upstream
  /** Permit of the account for one IMAP session. Disposal releases the permit. */
  permit: Disposable
}

/**
 * Confirms the login to the mail client and starts relaying between mail client and mail server.
 */
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
  // Bytes that the mail client has pipelined after the login command are the first bytes for the
  // mail server.
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
 * Registers an IMAP session until the session is closed. Besides its sockets, a session needs only
 * the memory of the variables of this function.
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

/**
 * Replaces control characters in an account id: account ids are chosen by API callers and must not
 * end the line.
 */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, '?')
}
