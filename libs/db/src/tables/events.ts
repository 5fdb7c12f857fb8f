import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/** Event ids known, so that a repeat adds nothing. Written with `events` by `recordEvents`. */
export interface EventIds {
  eventId: string
  day: Date
}

/** What happened. Inserted through `recordEvents` in the transaction that changes the state it tells of. */
export interface Events {
  id: Generated<string>
  eventId: string
  event: string
  account: string
  shard: number
  date: Date
  path: string | null
  specialUse: string | null
  /** The webhook body, to the byte. */
  body: string
  /** For accountDeleted: the account's own webhook target, which is gone by the time it is delivered. */
  accountTarget: JsonOrNull<{ url: string; headers: { key: string; value: string }[] }>
  publishedAt: Date | null
  fannedOutAt: Date | null
}
