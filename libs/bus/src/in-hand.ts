import { ignore } from './waiting.ts'

/** The work at hand, to be waited for before closing. */
export class InHand {
  readonly #work = new Set<Promise<void>>()

  /** The work must not reject; if it does, nobody is told. */
  add(work: Promise<void>): void {
    const entry = work.catch(ignore).finally(() => this.#work.delete(entry))
    this.#work.add(entry)
  }

  /** Resolves when there is none, counting work that begins meanwhile. */
  async empty(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }
}
