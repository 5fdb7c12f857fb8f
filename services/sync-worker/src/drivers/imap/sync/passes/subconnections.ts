import { AppError } from '@posthorn/errors'
import { sleep } from '@posthorn/flow'
import type { SyncContext } from '../context.ts'
import { syncUntilUnchanged } from '../changes/mailbox-sync.ts'
import { reconnectDelayMs } from '../../../reconnect.ts'
import { watch } from './notification-handler.ts'

/**
 * Duration of a subconnection (connection that watches another mailbox) from which its loss resets
 * its reconnect backoff.
 */
const stableMs = 60_000
/**
 * Interval at which a subconnection (connection that watches another mailbox) syncs its mailbox if
 * no notification arrives.
 */
const resyncMs = 15 * 60_000

/**
 * Subconnections: additional connections of an account, each of which watches and syncs one
 * mailbox. Failures of a subconnection do not change the state of the account.
 */
export class Subconnections implements AsyncDisposable {
  readonly #context: SyncContext
  readonly #running = new Map<string, { stop: AbortController; done: Promise<void> }>()
  #wanted: ReadonlySet<string> = new Set()

  constructor(context: SyncContext) {
    this.#context = context
  }

  /**
   * Sets the mailboxes to watch over additional connections, by id. Ends the watches of all other
   * mailboxes over such connections.
   */
  setMailboxes(mailboxes: readonly string[]): void {
    const wanted = new Set(mailboxes)
    this.#wanted = wanted
    for (const [mailbox, { stop }] of this.#running) if (!wanted.has(mailbox)) stop.abort()
    for (const mailbox of wanted) if (!this.#running.has(mailbox)) this.#start(mailbox)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wanted = new Set()
    const running = [...this.#running.values()]
    for (const { stop } of running) stop.abort()
    await Promise.all(running.map(({ done }) => done))
  }

  #start(mailbox: string): void {
    const stop = new AbortController()
    const signal = AbortSignal.any([stop.signal, this.#context.signal])
    const done = runSubconnection({ ...this.#context, signal }, mailbox)
      .catch((err: unknown) => {
        if (!signal.aborted) this.#context.log.warn({ err }, 'subconnection failed permanently')
      })
      .finally(() => {
        this.#running.delete(mailbox)
        // The mailbox may have been requested again after the end of its watch was requested.
        const isWanted = stop.signal.aborted && this.#wanted.has(mailbox)
        if (isWanted && !this.#context.signal.aborted) this.#start(mailbox)
      })
    this.#running.set(mailbox, { stop, done })
  }
}

async function runSubconnection(context: SyncContext, mailbox: string): Promise<void> {
  const { deps, signal, log } = context
  for (let attempts = 0; ; attempts++) {
    await sleep(reconnectDelayMs(attempts, deps.config), signal)
    const startedAt = Date.now()
    try {
      await watchMailbox(context, mailbox)
    } catch (err) {
      signal.throwIfAborted()
      // The account's lease was lost during the sync of a subconnection (additional connection).
      // The account session detects the loss itself and ends.
      if (err instanceof AppError && err.kind === 'stale') return
      log.info({ err }, 'subconnection lost')
    }
    if (Date.now() - startedAt >= stableMs) attempts = 0
  }
}

async function watchMailbox(parent: SyncContext, mailbox: string): Promise<never> {
  await using session = await parent.connect(parent.signal)
  const context = { ...parent, session, selection: { mailbox: undefined } }
  for (;;) {
    context.signal.throwIfAborted()
    await syncUntilUnchanged(context, mailbox, { full: true })
    await watch(context, mailbox, { allMailboxes: false, durationMs: resyncMs })
  }
}
