import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '@posthorn/errors'
import { reconnectDelayMs } from '../../sessions/reconnect.ts'
import type { SyncContext } from '../context.ts'
import { syncUntilUnchanged, watch } from './watch.ts'

/** A connection that served so long was a good one: its loss is an accident. */
const stableMs = 60_000
/** Also without a word from the server its mailbox is looked at so often. */
const lookMs = 15 * 60_000

/** Further connections of an account, each watching one mailbox and syncing it at once. They come and go without touching its state. */
export class Subconnections implements AsyncDisposable {
  readonly #context: SyncContext
  readonly #running = new Map<string, { stop: AbortController; done: Promise<void> }>()

  constructor(context: SyncContext) {
    this.#context = context
  }

  /** Watches these mailboxes, by id, and no others. */
  keep(mailboxes: readonly string[]): void {
    const wanted = new Set(mailboxes)
    for (const [mailbox, { stop }] of this.#running) if (!wanted.has(mailbox)) stop.abort()
    for (const mailbox of wanted) if (!this.#running.has(mailbox)) this.#start(mailbox)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = [...this.#running.values()]
    for (const { stop } of running) stop.abort()
    await Promise.all(running.map(({ done }) => done))
  }

  #start(mailbox: string): void {
    const stop = new AbortController()
    const signal = AbortSignal.any([stop.signal, this.#context.signal])
    const done = keepWatching({ ...this.#context, signal }, mailbox)
      .catch((err: unknown) => {
        if (!signal.aborted) this.#context.log.warn({ err }, 'a subconnection is given up')
      })
      .finally(() => this.#running.delete(mailbox))
    this.#running.set(mailbox, { stop, done })
  }
}

async function keepWatching(context: SyncContext, mailbox: string): Promise<void> {
  const { deps, signal, log } = context
  const { reconnectMinMs: minMs, reconnectMaxMs: maxMs } = deps.config
  for (let attempts = 0; ; attempts++) {
    await delay(reconnectDelayMs(attempts, { minMs, maxMs }, Math.random()), undefined, { signal })
    const since = Date.now()
    try {
      await watchOver(context, mailbox)
    } catch (err) {
      signal.throwIfAborted()
      // The lease is lost: the session that follows the account finds that out for itself.
      if (err instanceof AppError && err.kind === 'stale') return
      log.info({ err }, 'a subconnection was lost')
    }
    if (Date.now() - since >= stableMs) attempts = 0
  }
}

async function watchOver(context: SyncContext, mailbox: string): Promise<never> {
  const { connect: open, signal } = context
  await using session = await open(signal)
  const own = { ...context, session, selection: { mailbox: undefined } }
  for (;;) {
    signal.throwIfAborted()
    await syncUntilUnchanged(own, mailbox, { full: true })
    await watch(own, mailbox, { allMailboxes: false, forMs: lookMs })
  }
}
