import type { Generated, GeneratedAlways } from 'kysely'
import type { StoredHeader } from './accounts.ts'
import type { Json } from './json.ts'

/** Webhook routes. Written by api-gateway. */
export interface WebhookRoutes {
  id: string
  name: string
  description: string | null
  /** Target URL of a webhook route. The URL may contain credentials, which API responses mask. */
  targetUrl: string
  enabled: Generated<boolean>
  customHeaders: Json<StoredHeader[]>
  /** Source of the filter function of a webhook route. Null if the route takes every event. */
  filter: string | null
  /** Source of the map function of a webhook route. Null if events are sent unchanged. */
  map: string | null
  /** Version of the webhook route, incremented by every change of the row. */
  version: Generated<number>
  /** Time at which api-gateway deletes the webhook route. Null if the route does not expire. */
  expiresAt: Date | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

/**
 * Common version of all webhook routes: a single row that a trigger increments when any route
 * changes.
 */
export interface WebhookRoutesStamp {
  stamp: string
}

/**
 * Number of events that matched a webhook route, distributed over several rows (slots). Written by
 * webhook-dispatcher.
 */
export interface WebhookRouteCounts {
  route: string
  slot: number
  count: string
}

/** Last failure of the webhook route's target. Written by webhook-dispatcher. */
export interface WebhookRouteStates {
  route: string
  errorFlag: string
  updatedAt: Generated<Date>
}

/** Last failures of the webhook route's functions. Written by webhook-dispatcher. */
export interface WebhookRouteErrors {
  id: GeneratedAlways<string>
  route: string
  createdAt: Generated<Date>
  function: 'filter' | 'map'
  reason: string
  event: string
  account: string
  eventId: string
}
