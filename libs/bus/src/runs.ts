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
  /** Its answer has begun: from now on it is the reader's silence that ends it, not the deadline. */
  beginStream(): void
  /** Ends it for a reason of ours. */
  abandon(reason: unknown): void
  end(): void
}

interface Running extends Run {
  readonly streaming: boolean
  cancel(): void
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
    const state = { cancelled: false, streaming: false }
    const timer = setTimeout(() => abort.abort(tooLate()), Math.max(0, deadline - Date.now()))
    const run: Running = {
      signal: abort.signal,
      credit: new Credit(timeoutMs),
      get cancelled() {
        return state.cancelled
      },
      get streaming() {
        return state.streaming
      },
      beginStream() {
        state.streaming = true
        clearTimeout(timer)
      },
      abandon: (reason) => abort.abort(reason),
      cancel() {
        state.cancelled = true
        abort.abort(new DOMException('nobody waits for the answer any more', 'AbortError'))
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
    if (run) return run.cancel()
    this.#cancelled.add(id)
    const [oldest] = this.#cancelled
    if (this.#cancelled.size > rememberedCancels && oldest !== undefined)
      this.#cancelled.delete(oldest)
  }

  /** Our inbox is gone, and credit can no longer reach us. Requests that are answered at once are not touched. */
  abandonStreams(): void {
    for (const run of this.#running.values()) if (run.streaming) run.abandon(nobodyThere())
  }
}
