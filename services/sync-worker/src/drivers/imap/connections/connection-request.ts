import type { MailSession } from '@posthorn/backends'

/** Request of an account command for a connection to the account's IMAP server. */
export interface ConnectionRequest {
  signal: AbortSignal
  /**
   * Mailbox to select for the command. A connection that last selected this mailbox is preferred.
   */
  mailbox?: string
  /**
   * True for a command that may take minutes. If the account's pool may have several IMAP
   * connections, such commands leave one connection to other commands.
   */
  longRunning?: boolean
  /**
   * True for a command that is as slow as a consumer, which may stall. If the account's pool may
   * have at least three IMAP connections, such commands leave two connections to other commands.
   */
  consumerPaced?: boolean
  /**
   * True for a short read. If the account's pool has no IMAP connection and the login limits delay
   * its first connection, the read may use the account's sync connection.
   */
  mayBorrow?: boolean
  /**
   * True for work without a waiting caller. Such requests are served after all other requests for
   * IMAP connections. If the pool may have several connections, such requests leave one connection
   * free.
   */
  background?: boolean
}

/**
 * Sorts requests for IMAP connections: background requests last, otherwise in the given order.
 * Pure.
 */
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

  /**
   * True if a command leaves enough of the account's `max` IMAP connections to other kinds of
   * commands.
   */
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
