import type { KeyedSemaphore } from '@posthorn/flow'
import type { Conversation } from './conversation.ts'

/** From the first byte to the login, or the first message where none is needed. */
const beforeLoginMs = 60_000

/** Who has come in and is not known yet: so many of an address, for so long. */
export class Guests {
  readonly #places: KeyedSemaphore
  readonly #leaving = new WeakMap<object, () => void>()

  constructor(places: KeyedSemaphore) {
    this.#places = places
  }

  /** A place for somebody at the door; undefined when their address has taken all of its own. */
  enter(network: string): Disposable | undefined {
    return this.#places.tryAcquire(network)
  }

  /** Bounds the time until `leave`, and gives the place back then. */
  watch(conversation: Conversation, place: Disposable): void {
    const timer = setTimeout(
      () => conversation.send(421, '4.4.2 No login in time, closing connection'),
      beforeLoginMs,
    )
    this.#leaving.set(conversation.session, () => {
      clearTimeout(timer)
      place[Symbol.dispose]()
    })
  }

  /** The client of this session is known from now on, or gone. */
  leave(session: object): void {
    this.#leaving.get(session)?.()
    this.#leaving.delete(session)
  }
}
