import type { Generated } from 'kysely'

/** Number of events per account and event name. Written by webhook-dispatcher. */
export interface AccountEventCounts {
  account: string
  event: string
  count: string
}

/**
 * Statistics counters, with one value per minute and key. Written by `addCounts`, kept for 8 days.
 */
export interface StatCounters {
  minute: Date
  key: string
  /**
   * Number of the row among the rows of a statistics counter. Concurrent writers use different
   * rows, and readers sum the rows of a key.
   */
  slot: Generated<number>
  value: string
}

/**
 * Use of mail APIs per OAuth2 application and day (UTC). Written by `countAppUse`, kept for 8 days.
 */
export interface OAuth2AppUses {
  app: string
  day: Date
  requests: string
  units: string
  limited: string
}
