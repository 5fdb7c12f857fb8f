import type { Generated, GeneratedAlways } from 'kysely'
import type { StoredHeader } from './accounts.ts'
import type { Json } from './json.ts'

/** Webhook routes. Written by api-gateway. */
export interface WebhookRoutes {
  id: string
  name: string
  description: string | null
  /** Target URL of the route; may contain credentials, which are masked in responses. */
  targetUrl: string
  enabled: Generated<boolean>
  customHeaders: Json<StoredHeader[]>
  /** Body of the route's filter function. Null: the route takes every event. */
  filter: string | null
  /** Body of the route's map function. Null: the event is sent unchanged. */
  map: string | null
  /** Version of the route, incremented by every change. */
  version: Generated<number>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

/**
 * Stamp of all webhook routes: one row, incremented by every change of a route. Written by a
 * trigger.
 */
export interface WebhookRoutesStamp {
  stamp: string
}

/**
 * Number of events that matched a webhook route: the sum of its slots. Written by
 * webhook-dispatcher.
 */
export interface WebhookRouteCounts {
  route: string
  slot: number
  count: string
}

/** Last failure of a webhook route's target. Written by webhook-dispatcher. */
export interface WebhookRouteStates {
  route: string
  errorFlag: string
  updatedAt: Generated<Date>
}

/** Last failures of a webhook route's functions. Written by webhook-dispatcher. */
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
