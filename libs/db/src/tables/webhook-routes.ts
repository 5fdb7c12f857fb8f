import type { Generated, GeneratedAlways } from 'kysely'
import type { Json } from './json.ts'

/** Further targets of events. Written by api-gateway. */
export interface WebhookRoutes {
  id: string
  name: string
  description: string | null
  /** May hold credentials: masked whenever it is shown. */
  targetUrl: string
  enabled: Generated<boolean>
  customHeaders: Json<{ key: string; value: string }[]>
  /** Body of a function. Null: every event. */
  filter: string | null
  /** Body of a function. Null: the event as it is. */
  map: string | null
  /** Raised by every change. */
  version: Generated<number>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

/** One row, raised by every change of a route. Written by a trigger. */
export interface WebhookRoutesStamp {
  stamp: string
}

/** How often a route has been applied: the sum of its slots. Written by webhook-dispatcher. */
export interface WebhookRouteCounts {
  route: string
  slot: number
  count: string
}

/** What the target of a route said last, where that was no success. Written by webhook-dispatcher. */
export interface WebhookRouteStates {
  route: string
  errorFlag: string
  updatedAt: Generated<Date>
}

/** The last times that a function of a route failed. Written by webhook-dispatcher. */
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
