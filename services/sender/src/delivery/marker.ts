import { AppError } from '@posthorn/errors'
import type { Hold } from '../store/outbox.ts'
import { NotAttempted } from './delivery-error.ts'

/** Commits that the final dot is about to be written. Resolves to whether it may be: the row may be another's by now. */
export type Mark = (hold: Hold) => Promise<boolean>

interface Marking {
  done: Promise<void>
  at: number
}

/** No mail is sent whose marker is not on record. It may be written while the server still answers to what comes before the dot. */
export class Marker {
  readonly #mark: Mark
  readonly #hold: Hold
  /** The row is ours for a lease from the marker on: a dot that comes later than this needs another marker. */
  readonly #freshMs: number
  #marking: Marking | undefined

  constructor(mark: Mark, { queueId, worker, attempt }: Hold, leaseMs: number) {
    this.#mark = mark
    this.#freshMs = leaseMs / 10
    this.#hold = { queueId, worker, attempt }
  }

  begin(): void {
    this.#marking ??= this.#start()
  }

  /** Resolves when the dot may be written. */
  async assert(): Promise<void> {
    this.begin()
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
      throw new NotAttempted('the handover cannot be recorded', { cause })
    })
    if (!marked) throw new AppError('stale', 'Another sender holds the message')
  }
}
