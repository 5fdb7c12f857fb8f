import type { ClientSession, ClientSessions } from '@posthorn/mail-frontend'
import type { User } from './access.ts'

interface Known extends ClientSession {
  /** There is a message in hand, whose answer comes first: a client that does not hear that it was stored would send it again. */
  isBusy: boolean
  /** Why it is to be ended. */
  ended?: string
}

/** The clients that have logged in: each is sent away when what it came in by is worth nothing any more. */
export class KnownClients {
  readonly #sessions: ClientSessions
  readonly #known = new WeakMap<object, Known>()

  constructor(sessions: ClientSessions) {
    this.#sessions = sessions
  }

  /** `sendAway` closes the connection of this session. */
  enter(session: object, user: User, sendAway: (reason: string) => void): void {
    const known: Known = {
      ...user,
      isBusy: false,
      end(reason) {
        known.ended ??= reason
        if (!known.isBusy) sendAway(known.ended)
      },
    }
    this.leave(session)
    this.#known.set(session, known)
    this.#sessions.add(known)
  }

  beginMessage(session: object): void {
    const known = this.#known.get(session)
    if (known) known.isBusy = true
  }

  /** After the answer to it was sent. */
  endMessage(session: object): void {
    const known = this.#known.get(session)
    if (!known) return
    known.isBusy = false
    if (known.ended !== undefined) known.end(known.ended)
  }

  leave(session: object): void {
    const known = this.#known.get(session)
    if (known) this.#sessions.delete(known)
    this.#known.delete(session)
  }
}
