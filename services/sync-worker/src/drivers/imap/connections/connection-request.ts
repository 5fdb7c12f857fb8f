import type { MailSession } from '@posthorn/backends'

/** Demand of a command for a connection. */
export interface ConnectionRequest {
  signal: AbortSignal
  /** Mailbox to select. A connection that has selected the mailbox last is preferred. */
  mailbox?: string
  /**
   * True if the request may take minutes. Such requests leave one connection free, if the pool may
   * have several connections.
   */
  longRunning?: boolean
  /**
   * True if the request runs at the pace of a consumer, which may stall. Such requests leave two
   * connections free, if the pool may have that many.
   */
  consumerPaced?: boolean
  /**
   * True for a short read. While there is no connection and the login limits delay the first
   * connection, the read may use the connection that syncs.
   */
  mayBorrow?: boolean
  /**
   * True for work without a waiting caller. Such requests leave one connection free, if the pool
   * may have several connections, and are served after all other requests.
   */
  background?: boolean
}

/** Request for a connection by a command that changes something on the server. */
export interface WriteRequest extends ConnectionRequest {
  /**
   * Preparation that runs before the change, with at least one round trip. If a reused connection
   * is lost during `prepare`, another connection is taken. After `prepare` nothing is repeated.
   */
  prepare: (session: MailSession) => Promise<void>
}

/**
 * Counts of the requests that hold connections of an account. Long and consumer-paced requests
 * leave connections to other kinds of requests.
 */
export class RequestCounts {
  #total = 0
  #longRunning = 0
  #consumerPaced = 0

  /** True if a further request leaves enough of `max` connections to other kinds of requests. */
  admits(request: ConnectionRequest, max: number): boolean {
    const { longRunning, consumerPaced, background } = request
    if (background && this.#total >= Math.max(1, max - 1)) return false
    if (longRunning && this.#longRunning >= Math.max(1, max - 1)) return false
    return !consumerPaced || this.#consumerPaced < Math.max(1, max - 2)
  }

  add({ longRunning, consumerPaced }: ConnectionRequest): void {
    this.#total++
    if (longRunning) this.#longRunning++
    if (consumerPaced) this.#consumerPaced++
  }

  remove({ longRunning, consumerPaced }: ConnectionRequest): void {
    this.#total--
    if (longRunning) this.#longRunning--
    if (consumerPaced) this.#consumerPaced--
  }
}
