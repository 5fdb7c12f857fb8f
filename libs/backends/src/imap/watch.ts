import type { Capabilities, MailboxNotification } from '../mail-session.ts'
import type { ImapConnection, MailboxRef } from './connection/connection.ts'
import { connectionClosed, isRejection, timedOut } from './connection/errors.ts'
import { ignoresIdle, type ServerQuirks } from './connection/server-quirks.ts'
import { countersOf } from './connection/counters.ts'
import { clean } from './text.ts'
import { type Attributes, words } from './tokens.ts'

export interface Timings {
  /**
   * Interval at which a watch (wait for IMAP notifications) counts the bytes received on its IMAP
   * connection.
   */
  sampleMs: number
  /**
   * Time without a byte from the IMAP server after which a watch (wait for notifications) sends
   * NOOP.
   */
  quietMs: number
  /**
   * Timeout of the NOOP that a watch (wait for notifications) sends after `quietMs`. The sum of
   * `sampleMs`, `quietMs` and `probeMs` is less than 2 minutes, so that a dead IMAP connection is
   * detected within 2 minutes.
   */
  probeMs: number
  /**
   * Duration of one IDLE command of a watch (wait for notifications). RFC 2177 allows 29 minutes.
   * Firewalls drop idle connections much earlier.
   */
  renewMs: number
  /**
   * Interval at which a watch (wait for notifications) sends NOOP to an IMAP server without IDLE.
   */
  pollMs: number
  /** Interval at which NOOP is sent on IMAP sessions without a running call. */
  keepAliveMs: number
}

export interface WatchOptions extends Timings {
  quirks: ServerQuirks
}

export const defaultTimings: Timings = {
  sampleMs: 15_000,
  quietMs: 70_000,
  probeMs: 25_000,
  renewMs: 9 * 60_000,
  pollMs: 30_000,
  keepAliveMs: 50_000,
}

type Wake = 'aborted' | 'contended' | 'due' | 'closed' | 'ended' | 'rejected'

/**
 * Minimum duration of the IMAP command IDLE. If the server ends IDLE earlier, IDLE is not used:
 * some servers advertise IDLE but end it immediately.
 */
const shortMs = 1_000

/**
 * Waits for notifications of the selected mailbox on an IMAP connection, in rounds. A round is one
 * IDLE, or one wait until the next NOOP. A round ends when another command waits for the
 * connection. The next round starts after that command.
 */
export class Watch {
  readonly #connection: ImapConnection
  readonly #timings: Timings
  readonly #quirks: ServerQuirks
  readonly #notify: Notify
  #idles: boolean
  /** True if the IMAP server has confirmed the current IDLE. */
  #idleConfirmed = false

  constructor(connection: ImapConnection, capabilities: Capabilities, options: WatchOptions) {
    const { quirks } = options
    this.#connection = connection
    this.#timings = options
    this.#quirks = quirks
    this.#notify = new Notify(connection, capabilities)
    this.#idles = capabilities.idle && !ignoresIdle(quirks)
    connection.wire.onIdle = () => (this.#idleConfirmed = quirks.hasConfirmedIdle = true)
  }

  async run(
    onNotification: (notification: MailboxNotification) => void,
    signal: AbortSignal,
    { everywhere = false }: { everywhere?: boolean },
  ): Promise<void> {
    const { mutex, notifications, selected } = this.#connection
    const stop = notifications.watch(onNotification, everywhere)
    try {
      if (everywhere && !signal.aborted) await mutex.run(() => this.#notify.start())
      while (!signal.aborted) await mutex.run(() => this.#round(signal, selected))
    } finally {
      stop()
    }
  }

  async #round(signal: AbortSignal, mailbox: MailboxRef): Promise<void> {
    if (signal.aborted) return
    await this.#connection.perform(async (client) => {
      // Ends an IDLE that is still running because the command for which the previous round of the
      // watch stopped waiting was not sent.
      if (client.idling) await this.#probe()
    }, mailbox)
    if (this.#connection.mutex.isContended) return
    const began = performance.now()
    const wake = await this.#wait(signal)
    if (wake === 'closed') throw connectionClosed(await this.#connection.closed)
    if (wake === 'aborted' || wake === 'due') await this.#probe()
    if (wake === 'rejected' || (wake === 'ended' && performance.now() - began < shortMs))
      this.#idles = false
    // If another command waits for the IMAP connection ('contended'), the watch does not end IDLE:
    // the waiting command does, which saves a round trip to the IMAP server.
  }

  /**
   * Waits for notifications of an IMAP server, in IDLE if possible, until there is a reason to end
   * the wait. Returns the reason.
   */
  async #wait(signal: AbortSignal): Promise<Wake> {
    const { client, mutex } = this.#connection
    const { promise, resolve } = Promise.withResolvers<Wake>()
    const onAbort = () => resolve('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    const onClose = () => resolve('closed')
    client.once('close', onClose)
    const contended = mutex.onContended(() => resolve('contended'))
    const timer = this.#idles
      ? this.#whenQuiet(() => resolve('due'))
      : setTimeout(() => resolve('due'), this.#timings.pollMs)
    this.#idleConfirmed = false
    if (this.#idles)
      client.idle().then(
        (result) => resolve(result === false ? 'rejected' : 'ended'),
        () => resolve('rejected'),
      )
    try {
      const wake = await promise
      return client.usable ? wake : 'closed'
    } finally {
      clearInterval(timer)
      contended[Symbol.dispose]()
      client.off('close', onClose)
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Runs a callback when the IMAP server has sent no data for `quietMs`, or after `renewMs`. */
  #whenQuiet(call: () => void): NodeJS.Timeout {
    const { client } = this.#connection
    const { sampleMs, quietMs, renewMs } = this.#timings
    const began = performance.now()
    let bytes = client.stats().received
    let lastByteAt = began
    return setInterval(() => {
      const now = performance.now()
      const received = client.stats().received
      if (received !== bytes) lastByteAt = now
      bytes = received
      if (now - lastByteAt >= quietMs || now - began >= renewMs) call()
    }, sampleMs)
  }

  /**
   * Sends NOOP while waiting for notifications, which ends IDLE and lets the server report changes.
   * Each received byte restarts the timeout.
   */
  async #probe(): Promise<void> {
    const connection = this.#connection
    const { client } = connection
    let bytes = client.stats().received
    const timer = setInterval(() => {
      const { received } = client.stats()
      if (received === bytes) {
        if (client.idling && !this.#idleConfirmed) this.#quirks.unansweredIdles++
        connection.end(timedOut('The mail server stopped responding'))
      }
      bytes = received
    }, this.#timings.probeMs)
    try {
      await connection.perform(() => connection.noop(client))
    } finally {
      clearInterval(timer)
    }
  }
}

const changes = words('MessageNew', 'MessageExpunge', 'FlagChange')

/**
 * Arguments of the IMAP command NOTIFY (RFC 5465 §3.1). With STATUS, the server first sends the
 * counters of all mailboxes. With DELAYED, the server does not renumber messages during a command.
 */
const wanted: Attributes = [
  ...words('SET', 'STATUS'),
  [...words('SELECTED-DELAYED'), changes],
  [...words('PERSONAL'), [...changes, ...words('MailboxName', 'SubscriptionChange')]],
]

/**
 * Requests notifications about all mailboxes of an IMAP session by NOTIFY. Notifications may arrive
 * at any time. IDLE is still used, because some servers send notifications only during IDLE, and
 * because IDLE detects dead connections.
 */
export class Notify {
  readonly #connection: ImapConnection
  readonly #capabilities: Capabilities
  #started = false

  constructor(connection: ImapConnection, capabilities: Capabilities) {
    this.#connection = connection
    this.#capabilities = capabilities
  }

  /**
   * Sends NOTIFY once per IMAP session. If the server rejects NOTIFY, the session continues without
   * NOTIFY. The caller must hold the mutex of the connection.
   */
  async start(): Promise<void> {
    if (this.#started || !this.#capabilities.notify) return
    const { wire, notifications } = this.#connection
    this.#started = true
    wire.onStatus = (path, items) =>
      notifications.notify({ kind: 'mailbox', path: clean(path), status: countersOf(items) })
    wire.onListed = () => notifications.notify({ kind: 'mailboxes' })
    wire.onOverflow = () => this.#end()
    try {
      await this.#connection.perform(() => wire.run('NOTIFY', wanted))
    } catch (error) {
      if (!isRejection(error)) throw error
      this.#end()
    }
  }

  /**
   * Continues the IMAP session without NOTIFY, in the same way as after the server has ended its
   * notifications (RFC 5465 §5.8).
   */
  #end(): void {
    this.#capabilities.notify = false
    this.#connection.notifications.notify({ kind: 'overflow' })
  }
}
