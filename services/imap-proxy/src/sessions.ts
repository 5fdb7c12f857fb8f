import { setTimeout as delay } from 'node:timers/promises'
import type { Key } from './access.ts'

/** A mail client that was let in. */
export interface Session {
  readonly key: Key
  readonly account: string
  readonly address: string
  end(reason: string): void
}

/** The sessions of this process. */
export class Sessions {
  readonly #sessions = new Set<Session>()

  get size(): number {
    return this.#sessions.size
  }

  list(): Session[] {
    return [...this.#sessions]
  }

  add(session: Session): void {
    this.#sessions.add(session)
  }

  delete(session: Session): void {
    this.#sessions.delete(session)
  }

  /** Ends all, spread over a time so that they do not all come back at once. Resolves when the last was told. */
  async endAll(reason: string, spreadMs: number): Promise<void> {
    await Promise.all(
      this.list().map(async (session) => {
        await delay(Math.random() * spreadMs)
        session.end(reason)
      }),
    )
  }
}
