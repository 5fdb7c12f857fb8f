import type { MailSession } from '@posthorn/backends'

/** Request of a command for a connection to the mail server. */
export interface ConnectionRequest {
  signal: AbortSignal
  /**
   * Mailbox to select for the command. A connection that last selected this mailbox is preferred.
   */
  mailbox?: string
  /**
   * True if the command may take minutes. If the pool may have several connections, such commands
   * leave one connection to other commands.
   */
  longRunning?: boolean
  /**
   * True if the command is as slow as a consumer, which may stall. If the pool may have at least
   * three connections, such commands leave two connections to other commands.
   */
  consumerPaced?: boolean
  /**
   * True for a short read. If the pool has no connection and the login limits delay its first
   * connection, the read may use the account's sync connection.
   */
  mayBorrow?: boolean
  /**
   * True for work without a waiting caller. Such requests leave one connection free, if the pool
   * may have several connections, and are served after all other requests.
   */
  background?: boolean
}

/** Sorts requests for connections: background requests last, otherwise in their order. Pure. */
export function backgroundLast<T extends { request: ConnectionRequest }>(
  requests: Iterable<T>,
): T[] {
  const rank = ({ request }: T) => Number(request.background ?? false)
  return [...requests].toSorted((one, other) => rank(one) - rank(other))
}

/** Request of a command that changes something on the mail server for an IMAP connection. */
export interface WriteRequest extends ConnectionRequest {
  /**
   * Runs on the IMAP connection before the change, with at least one round trip. If a reused
   * connection is lost during `prepare`, another connection is used. After `prepare`, nothing is
   * repeated.
   */
  prepare: (session: MailSession) => Promise<void>
}

/**
 * Counts the commands that hold IMAP connections of an account. Limits long commands, and commands
 * as slow as a consumer, so that connections are left for other commands.
 */
export class RequestCounts {
  #total = 0
  #longRunning = 0
  #consumerPaced = 0

  /** True if a command leaves enough of `max` connections to other kinds of commands. */
  admits({ longRunning, consumerPaced, background }: ConnectionRequest, max: number): boolean {
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
