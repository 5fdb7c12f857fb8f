import type { TlsServer } from './upstream-tls.ts'

const maxAgeMs = 60 * 60_000
const maxTickets = 2_000

/**
 * The last session of TLS with each server, so that the next handshake needs no certificate and no signature (RFC 8446 §2.2). The name in
 * the certificate is not looked at again then: a session counts only where it was asked for under the same conditions.
 */
export class TlsTickets {
  readonly #tickets = new Map<string, { session: Buffer; until: number }>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  find(server: TlsServer): Buffer | undefined {
    const ticket = this.#tickets.get(keyOf(server))
    return ticket && ticket.until > this.#now() ? ticket.session : undefined
  }

  keep(server: TlsServer, session: Buffer): void {
    const key = keyOf(server)
    this.#tickets.delete(key)
    this.#tickets.set(key, { session, until: this.#now() + maxAgeMs })
    // The oldest go first: a Map keeps the order of insertion.
    const [oldest] = this.#tickets.keys()
    if (this.#tickets.size > maxTickets && oldest !== undefined) this.#tickets.delete(oldest)
  }

  forget(server: TlsServer): void {
    this.#tickets.delete(keyOf(server))
  }
}

function keyOf({ host, port, rejectUnauthorized, minVersion, proxy }: TlsServer): string {
  return JSON.stringify([host, port, rejectUnauthorized, minVersion, proxy])
}
