import { AppError } from '@posthorn/errors'
import type { OutboxLease } from '../store/outbox.ts'
import { PreAttemptError } from '../transports/transport.ts'

/** Commits that the final dot is about to be written. Resolves to whether it may be: the row may be another's by now. */
export type WriteIntent = (hold: OutboxLease) => Promise<boolean>

interface Marking {
  done: Promise<void>
  at: number
}

/** No mail is sent whose marker is not on record. It may be written while the server still answers to what comes before the dot. */
export class HandoverIntent {
  readonly #mark: WriteIntent
  readonly #hold: OutboxLease
  /** The row is ours for a lease from the marker on: a dot that comes later than this needs another marker. */
  readonly #freshMs: number
  #marking: Marking | undefined

  constructor(mark: WriteIntent, { queueId, worker, attempt }: OutboxLease, leaseMs: number) {
    this.#mark = mark
    this.#freshMs = leaseMs / 10
    this.#hold = { queueId, worker, attempt }
  }

  prepare(): void {
    this.#marking ??= this.#start()
  }

  /** Resolves when the dot may be written. */
  async commit(): Promise<void> {
    this.prepare()
    await this.#marking?.done
    // A server that was slow, or a process that stood still: the row may have been taken over since.
    if (this.#isFresh()) return
    this.#marking = this.#start()
    await this.#marking.done
  }

  /** Resolves when nothing more is being written. */
  async settled(): Promise<void> {
    await this.#marking?.done.catch(() => undefined)
  }

  #isFresh(): boolean {
    return this.#marking !== undefined && performance.now() - this.#marking.at < this.#freshMs
  }

  #start(): Marking {
    const done = this.#write()
    // Heard of by whoever asks; nobody need.
    done.catch(() => undefined)
    return { done, at: performance.now() }
  }

  async #write(): Promise<void> {
    const marked = await this.#mark(this.#hold).catch((cause: unknown) => {
      throw new PreAttemptError('the handover cannot be recorded', { cause })
    })
    if (!marked) throw new AppError('stale', 'Another sender holds the message')
  }
}
