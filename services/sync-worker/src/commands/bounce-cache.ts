import type { MessageEntry } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { findBounces, hasBounces } from '../store/bounces.ts'
import type { AccountSession } from '../sessions/account-session.ts'

/** How long it is believed that an account has no bounces: most have none, and are not to be asked with every reading. */
const ttlMs = 10_000

/** Adds to messages what reports said of their delivery. A bounce of a moment ago may be shown some seconds later. */
export class BounceCache {
  readonly #none = new WeakMap<AccountSession, number>()

  async addTo<T extends Pick<MessageEntry, 'messageId' | 'bounces'>>(
    db: Db,
    { session, account }: { session: AccountSession; account: string },
    messages: readonly T[],
  ): Promise<T[]> {
    if (messages.length === 0 || (this.#none.get(session) ?? 0) > Date.now()) return [...messages]
    if (!(await hasBounces(db, account))) {
      this.#none.set(session, Date.now() + ttlMs)
      return [...messages]
    }
    const ids = messages.flatMap(({ messageId }) => messageId ?? [])
    const found = await findBounces(db, account, ids)
    return messages.map((message) => {
      const bounces = found.get(message.messageId ?? '')
      return bounces ? { ...message, bounces } : message
    })
  }
}
