import type { Db } from '@posthorn/db'
import { KeyedSemaphore, Semaphore } from '@posthorn/flow'
import { sql } from 'kysely'
import type { PendingEvent } from './events.ts'

/**
 * Maximum size of an event body that is sent to webhook targets. Larger bodies, which earlier
 * releases could store, would need more memory than the process has, or exceed the length of a
 * string.
 */
export const maxBodyBytes = 64 * 1024 * 1024

/** Size of the body that a webhook delivery sends. Undefined if the event was deleted. */
export async function findBodyBytes(
  db: Db,
  { eventRow, eventDate, id }: BodyOwner,
): Promise<number | undefined> {
  const { rows } = await sql<{ bytes: number | null }>`
    select coalesce(
      (select octet_length(body) from deliveries where id = ${id ?? null}::uuid),
      (select octet_length(body) from events
        where id = ${eventRow}::bigint and date = ${eventDate}::timestamptz)
    ) as bytes
  `.execute(db)
  return rows[0]?.bytes ?? undefined
}

/** Key of a stored body: of an event, or of a webhook delivery if `id` (of the delivery) is set. */
export type BodyOwner = Pick<PendingEvent, 'eventRow' | 'eventDate'> & { id?: string }

/**
 * Body that a webhook delivery sends: the body stored with the delivery, or the body of its event.
 * Undefined if the event was deleted.
 */
export async function findBody(
  db: Db,
  { eventRow, eventDate, id }: BodyOwner,
): Promise<string | undefined> {
  const { rows } = await sql<{ body: string | null }>`
    select coalesce(
      (select body from deliveries where id = ${id ?? null}::uuid),
      (select body from events
        where id = ${eventRow}::bigint and date = ${eventDate}::timestamptz)
    ) as body
  `.execute(db)
  return rows[0]?.body ?? undefined
}

/**
 * Maximum bytes of all loaded event bodies in memory. Sending a body takes about three times as
 * much memory.
 */
const maxBytes = 2 * maxBodyBytes

/** Body of an event or webhook delivery in memory until disposal. */
export interface LoadedBody extends Disposable {
  body: string
}

/**
 * Reads large bodies of events and webhook deliveries. The number of bodies in memory is limited by
 * their size. The bodies of one key, such as a webhook target, take at most half of the memory. A
 * slow target therefore does not stop other targets.
 */
export class BodyMemory {
  readonly #db: Db
  readonly #all = new Semaphore(maxBytes)
  readonly #ofKey = new KeyedSemaphore(maxBytes / 2)

  constructor(db: Db) {
    this.#db = db
  }

  /**
   * Loads the body of an event or webhook delivery after waiting for memory. Undefined if the event
   * was deleted, `too-large` above `maxBodyBytes`.
   */
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
