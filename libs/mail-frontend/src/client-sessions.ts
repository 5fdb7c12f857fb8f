import { setTimeout as delay } from 'node:timers/promises'

/** Credential a session was authenticated with: a token, or the server password. */
export type SessionAuth =
  | { tokenId: string; expiresAt: Date | null; passwordRevision?: never }
  | { passwordRevision: string; tokenId?: never; expiresAt?: never }

/** Authenticated mail client. */
export interface ClientSession {
  readonly auth: SessionAuth
  readonly account: string
  /** IP address of the client. */
  readonly address: string
  end(reason: string): void
}

/** Sessions of this process. */
export class ClientSessions {
  readonly #sessions = new Set<ClientSession>()

  get size(): number {
    return this.#sessions.size
  }

  list(): ClientSession[] {
    return [...this.#sessions]
  }

  add(session: ClientSession): void {
    this.#sessions.add(session)
  }

  delete(session: ClientSession): void {
    this.#sessions.delete(session)
  }

  /**
   * Ends all sessions at random times within `spreadMs`, so that clients do not reconnect
   * simultaneously. Resolves after the last one.
   */
  async endAll(reason: string, spreadMs: number): Promise<void> {
    await Promise.all(
      this.list().map(async (session) => {
        await delay(Math.random() * spreadMs)
        session.end(reason)
      }),
    )
  }
}
