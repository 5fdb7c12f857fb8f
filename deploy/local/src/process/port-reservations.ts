import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tryLock } from './command-lock.ts'

/**
 * Reservations of ports that this process has chosen and whose servers may not listen yet. Systems
 * of other checkouts that start at the same time then choose different ports. Reservations end when
 * they are disposed, or when this process ends.
 */
export class PortReservations implements AsyncDisposable {
  readonly #dir: string
  readonly #taken = new Map<number, AsyncDisposable>()

  /**
   * Creates an empty set of port reservations. All systems of one user share the directory `dir`.
   */
  constructor(dir = join(tmpdir(), `posthorn-ports-${process.getuid?.() ?? 0}`)) {
    this.#dir = dir
  }

  /** Reserves a port. Returns false if another process has reserved the port. */
  async take(port: number): Promise<boolean> {
    if (this.#taken.has(port)) return true
    const lock = await tryLock(join(this.#dir, String(port)))
    if (lock) this.#taken.set(port, lock)
    return lock !== undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const locks = [...this.#taken.values()]
    this.#taken.clear()
    await Promise.all(locks.map((lock) => lock[Symbol.asyncDispose]()))
  }
}
