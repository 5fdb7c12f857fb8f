import type { SessionAuth, ClientSession, ClientSessions } from '@posthorn/mail-frontend'
import type { Logger } from '@posthorn/telemetry'
import type { Client } from './client.ts'
import type { Instruments } from './instruments.ts'
import { Relay } from './relay.ts'
import type { Upstream } from './upstream.ts'

export interface PassThroughDeps {
  sessions: ClientSessions
  instruments: Instruments
  log: Logger
}

/** What a login came to. */
export interface Admitted {
  account: string
  key: SessionAuth
  upstream: Upstream
  /** Among the sessions of the account. */
  place: Disposable
}

/** First this list, always; what the server itself can do follows it, and counts. A CAPABILITY command then reaches the server. */
const capabilities =
  'CAPABILITY IMAP4rev1 LITERAL+ SASL-IR LOGIN-REFERRALS ID ENABLE IDLE SORT SORT=DISPLAY'

/** Tells a client that it is in, and leaves it to its server. */
export function passThrough(
  client: Client,
  tag: string,
  { deps, admitted }: { deps: PassThroughDeps; admitted: Admitted },
): void {
  const { account, upstream } = admitted
  client.write(
    `* ${capabilities}`,
    `* CAPABILITY ${upstream.capabilities.join(' ')}`,
    `${tag} OK ${printable(account)} authenticated`,
  )
  if (upstream.rest.length > 0) client.socket.write(upstream.rest)
  // Sent behind the LOGIN, before its answer: the first thing the server is told.
  const rest = client.takeRest()
  if (rest.length > 0) upstream.socket.write(rest)
  const relay = new Relay({
    client: client.socket,
    upstream: upstream.socket,
    ...(upstream.intake ? { intake: upstream.intake } : {}),
    bytes: deps.instruments.bytes,
  })
  hold(deps, relay, { ...admitted, address: client.address })
}

/** Keeps the session among the others until it is over. What it holds is all that a session costs beside its sockets. */
function hold(
  { sessions, log }: PassThroughDeps,
  relay: Relay,
  { account, address, key, place }: Omit<Admitted, 'upstream'> & { address: string },
): void {
  const session: ClientSession = {
    auth: key,
    account,
    address,
    end(reason) {
      log.info({ account, address, reason }, 'ended')
      relay.end(reason)
    },
  }
  sessions.add(session)
  log.info({ account, address }, 'logged in')
  relay.onClose = () => {
    sessions.delete(session)
    place[Symbol.dispose]()
    log.info({ account, address }, 'closed')
  }
}

/** An account's id is the caller's choice: what could end the line stays out of it. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, '?')
}
