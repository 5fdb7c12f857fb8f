import { drainClients, type DrainedClient } from './drain.ts'

/**
 * Credential that authenticated a session of a mail client: an access token, or the server
 * password, which admits a mail client to every account.
 */
export type SessionAuth =
  | { tokenId: string; expiresAt: Date | null; passwordRevision?: never }
  | { passwordRevision: string; tokenId?: never; expiresAt?: never }

/** Session of an authenticated mail client. */
export interface ClientSession {
  readonly auth: SessionAuth
  readonly account: string
  /** IP address of the mail client that is logged in. */
  readonly address: string
  /** True while a command or message of the mail client is in progress. */
  readonly isBusy: boolean
  end(reason: string): void
}

/** Sessions of the mail clients that are connected to this process. */
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
   * Ends all sessions of mail clients within `drainMs`, see `drainClients`. Returns the number of
   * sessions that were busy when they ended.
   */
  async drain(reason: string, drainMs: number): Promise<number> {
    const toClient = (session: ClientSession): DrainedClient => {
      const isClosed = () => !this.#sessions.has(session)
      return {
        get isClosed() {
          return isClosed()
        },
        get isBusy() {
          return session.isBusy
        },
        end: () => session.end(reason),
      }
    }
    return await drainClients(this.list().map(toClient), drainMs)
  }
}
