import { Credit } from './outgoing-stream.ts'
import { nobodyThere, tooLate } from './wire.ts'

/** Cancellations may overtake their requests; so many are remembered. */
const rememberedCancels = 1_000

/** A request being worked on. */
export interface Run {
  readonly signal: AbortSignal
  /** What the reader of the streamed answer has room for. */
  readonly credit: Credit
  /** Nobody waits for it any more. */
  readonly cancelled: boolean
  /** From the first answer on it is the reader's silence that ends it, not the deadline. */
  outliveDeadline(): void
  end(): void
}

interface Running extends Run {
  stop(reason: unknown, cancelled: boolean): void
}

/** The requests this process is working on, by the id of the call. */
export class Runs {
  readonly #running = new Map<string, Running>()
  readonly #cancelled = new Set<string>()

  has(id: string): boolean {
    return this.#running.has(id)
  }

  wasCancelled(id: string): boolean {
    return this.#cancelled.has(id)
  }

  start(id: string, { deadline, timeoutMs }: { deadline: number; timeoutMs: number }): Run {
    const abort = new AbortController()
    const state = { cancelled: false }
    const timer = setTimeout(() => abort.abort(tooLate()), Math.max(0, deadline - Date.now()))
    const run: Running = {
      signal: abort.signal,
      credit: new Credit(timeoutMs),
      get cancelled() {
        return state.cancelled
      },
      outliveDeadline: () => clearTimeout(timer),
      stop(reason, cancelled) {
        state.cancelled ||= cancelled
        abort.abort(reason)
      },
      end: () => {
        clearTimeout(timer)
        this.#running.delete(id)
      },
    }
    this.#running.set(id, run)
    return run
  }

  grant(id: string, chunks: number): void {
    this.#running.get(id)?.credit.grant(chunks)
  }

  /** The asker went away. */
  cancel(id: string): void {
    const run = this.#running.get(id)
    if (run)
      return run.stop(new DOMException('nobody waits for the answer any more', 'AbortError'), true)
    this.#cancelled.add(id)
    const [oldest] = this.#cancelled
    if (this.#cancelled.size > rememberedCancels && oldest !== undefined)
      this.#cancelled.delete(oldest)
  }

  /** Our inbox is gone: credit for streams can no longer reach us. Plain requests are not touched. */
  inboxLost(): void {
    for (const run of this.#running.values()) run.credit.fail(nobodyThere())
  }
}
