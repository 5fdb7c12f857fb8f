import type { Generated } from 'kysely'
import type { StoredHeader } from './accounts.ts'
import type { JsonOrNull } from './json.ts'

/**
 * Ids of recorded events, by which repeated events are detected. Written by `recordEvents` together
 * with `events`.
 */
export interface EventIds {
  eventId: string
  day: Date
}

/** Webhook target of an account that has been deleted. */
export interface AccountTarget {
  url: string
  headers: StoredHeader[]
  /**
   * True if a tenant has set the custom headers of webhooks. Such headers are only sent to a target
   * that a tenant has set, too.
   */
  isTenants?: boolean
  /** True if a tenant has set the URL of the webhook target. */
  isTenantsUrl?: boolean
}

/** Events, inserted by `recordEvents` in the transaction that makes the reported change. */
export interface Events {
  id: Generated<string>
  eventId: string
  event: string
  account: string
  shard: number
  date: Date
  path: string | null
  specialUse: string | null
  /** Webhook body of the event, as text. */
  body: string
  /**
   * Webhook target that was configured for the account. Only stored for accountDeleted, because the
   * configuration is deleted with the account.
   */
  accountTarget: JsonOrNull<AccountTarget>
  publishedAt: Date | null
  fannedOutAt: Date | null
}
