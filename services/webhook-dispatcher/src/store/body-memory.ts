import type { Db } from '@posthorn/db'
import { KeyedSemaphore, Semaphore } from '@posthorn/flow'
import { type BodyOwner, findBody, findBodyBytes, maxBodyBytes } from './events.ts'

/** Maximum bytes of all bodies in memory. Sending takes about three times as much. */
const maxBytes = 2 * maxBodyBytes

/** Body in memory until disposal. */
export interface LoadedBody extends Disposable {
  body: string
}

/**
 * Reads large bodies. The number of bodies in memory is limited by their size. The bodies of one
 * key, such as a lane, take at most half of the memory. A slow target therefore does not stop other
 * targets.
 */
export class BodyMemory {
  readonly #db: Db
  readonly #all = new Semaphore(maxBytes)
  readonly #ofKey = new KeyedSemaphore(maxBytes / 2)

  constructor(db: Db) {
    this.#db = db
  }

  /** Waits for memory. Undefined if the event was deleted, `too-large` above `maxBodyBytes`. */
  async load(
    key: string,
    owner: BodyOwner,
    signal?: AbortSignal,
  ): Promise<LoadedBody | 'too-large' | undefined> {
    const bytes = await findBodyBytes(this.#db, owner)
    if (bytes === undefined) return undefined
    if (bytes > maxBodyBytes) return 'too-large'
    using stack = new DisposableStack()
    stack.use(await this.#ofKey.acquire(key, signal, bytes))
    stack.use(await this.#all.acquire(signal, bytes))
    const body = await findBody(this.#db, owner)
    if (body === undefined) return undefined
    const memory = stack.move()
    return { body, [Symbol.dispose]: () => memory.dispose() }
  }
}
