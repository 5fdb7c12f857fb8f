import type { Generated } from 'kysely'
import type { StoredHeader } from './accounts.ts'
import type { JsonOrNull } from './json.ts'

/** Ids of recorded events, for deduplication. Written with `events` by `recordEvents`. */
export interface EventIds {
  eventId: string
  day: Date
}

/** Webhook target of a deleted account. */
export interface AccountTarget {
  url: string
  headers: StoredHeader[]
  /**
   * True if a tenant has set the custom headers, which only a target that the tenant has set
   * receives.
   */
  isTenants?: boolean
  /** True if a tenant has set the URL of the webhook target. */
  isTenantsUrl?: boolean
}

/** Events. Inserted by `recordEvents` in the transaction that changes the state. */
export interface Events {
  id: Generated<string>
  eventId: string
  event: string
  account: string
  shard: number
  date: Date
  path: string | null
  specialUse: string | null
  /** Webhook body of the event. */
  body: string
  /**
   * Webhook target of the account itself, which is deleted with the account. For accountDeleted
   * only.
   */
  accountTarget: JsonOrNull<AccountTarget>
  publishedAt: Date | null
  fannedOutAt: Date | null
}
