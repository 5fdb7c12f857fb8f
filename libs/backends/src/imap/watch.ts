import type { Capabilities, MailboxNotification } from '../backend.ts'
import type { ImapConnection, MailboxRef } from './connection.ts'
import { connectionClosed, timedOut } from './errors.ts'
import { type ServerQuirks, ignoresIdle } from './server-quirks.ts'
import { Notify } from './notify.ts'

export interface Timings {
  /** How often we look whether bytes came. */
  sampleMs: number
  /** After so long without a byte the server is asked. */
  quietMs: number
  /** How long it may take to answer. With the two above: under two minutes until a dead connection is noticed. */
  probeMs: number
  /** IDLE is entered anew after so long: RFC 2177 says 29 minutes, firewalls forget much earlier. */
  renewMs: number
  /** How often a server without IDLE is asked. */
  pollMs: number
  /** How often a session that nobody uses says NOOP, so that neither side takes it for dead. */
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

type Wake = 'aborted' | 'wanted' | 'due' | 'closed' | 'ended' | 'refused'

/** An IDLE that the server ends within this time is none: some offer it and do not do it. */
const shortMs = 1_000

/**
 * Watches the open mailbox in rounds. Other commands of the session may come in between: a round ends when one waits, and the next begins
 * when it is done.
 */
export class Watch {
  readonly #connection: ImapConnection
  readonly #timings: Timings
  readonly #quirks: ServerQuirks
  readonly #notify: Notify
  #idles: boolean
  /** The server has said that it is in the IDLE it was asked for last. */
  #answered = false

  constructor(connection: ImapConnection, capabilities: Capabilities, options: WatchOptions) {
    const { quirks } = options
    this.#connection = connection
    this.#timings = options
    this.#quirks = quirks
    this.#notify = new Notify(connection, capabilities)
    this.#idles = capabilities.idle && !ignoresIdle(quirks)
    connection.wire.onIdle = () => (this.#answered = quirks.hasConfirmedIdle = true)
  }

  async run(
    notice: (notice: MailboxNotification) => void,
    signal: AbortSignal,
    { everywhere = false }: { everywhere?: boolean },
  ): Promise<void> {
    const { mutex, notifications, selected } = this.#connection
    const stop = notifications.watch(notice, everywhere)
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
      // Left in IDLE by the round before, which ended for a command that then sent nothing.
      if (client.idling) await this.#probe()
    }, mailbox)
    if (this.#connection.mutex.isContended) return
    const began = performance.now()
    const wake = await this.#wait(signal)
    if (wake === 'closed') throw connectionClosed(await this.#connection.closed)
    if (wake === 'aborted' || wake === 'due') await this.#probe()
    if (wake === 'refused' || (wake === 'ended' && performance.now() - began < shortMs))
      this.#idles = false
    // 'wanted': the command that waits ends IDLE itself, which spares it a round trip.
  }

  /** Idles, where the server can, until something calls for an end. */
  async #wait(signal: AbortSignal): Promise<Wake> {
    const { client, mutex } = this.#connection
    const { promise, resolve } = Promise.withResolvers<Wake>()
    const onAbort = () => resolve('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    const onClose = () => resolve('closed')
    client.once('close', onClose)
    const contended = mutex.onContended(() => resolve('wanted'))
    const timer = this.#idles
      ? this.#whenQuiet(() => resolve('due'))
      : setTimeout(() => resolve('due'), this.#timings.pollMs)
    this.#answered = false
    if (this.#idles)
      client.idle().then(
        (answer) => resolve(answer === false ? 'refused' : 'ended'),
        () => resolve('refused'),
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

  /** Calls when nothing has come for long, or when IDLE has lasted long enough. */
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

  /** NOOP with a deadline, for the first byte and from byte to byte. It ends IDLE, if we are in it, and lets the server tell what is new. */
  async #probe(): Promise<void> {
    const connection = this.#connection
    const { client } = connection
    let bytes = client.stats().received
    const timer = setInterval(() => {
      const { received } = client.stats()
      if (received === bytes) {
        if (client.idling && !this.#answered) this.#quirks.unansweredIdles++
        connection.end(timedOut('The mail server has fallen silent'))
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
