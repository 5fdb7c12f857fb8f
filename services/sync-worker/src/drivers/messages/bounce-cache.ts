import type { MessageEntry } from '@posthorn/contracts/schemas/message'
import type { Db } from '@posthorn/db'
import { findBounces, hasBounces } from '../../store/bounces.ts'

/**
 * Period in which the stored bounces of an account are not queried again. Most accounts have no
 * bounces.
 */
const withoutBouncesMs = 10_000

/**
 * Adds stored bounces to the messages of a response. A new bounce may be missing for up to 10 s.
 */
export class BounceCache {
  /** Time in epoch milliseconds until which a session's account counts as without bounces. */
  readonly #noneUntil = new WeakMap<object, number>()

  async addTo<T extends Pick<MessageEntry, 'messageId' | 'bounces'>>(
    db: Db,
    { session, account }: { session: object; account: string },
    messages: readonly T[],
  ): Promise<T[]> {
    if (messages.length === 0 || (this.#noneUntil.get(session) ?? 0) > Date.now())
      return [...messages]
    if (!(await hasBounces(db, account))) {
      this.#noneUntil.set(session, Date.now() + withoutBouncesMs)
      return [...messages]
    }
    const ids = messages.flatMap(({ messageId }) => messageId ?? [])
    const byMessageId = await findBounces(db, account, ids)
    return messages.map((message) => {
      const bounces = byMessageId.get(message.messageId ?? '')
      return bounces ? { ...message, bounces } : message
    })
  }
}
