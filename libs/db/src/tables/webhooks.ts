import type { WebhookReplayFilter } from '@posthorn/contracts/schemas/webhook-delivery'
import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** Webhook deliveries: one event to one target. Written by webhook-dispatcher. */
export interface Deliveries {
  /** Id of the delivery, sent as `X-SVC-Wh-Id`. */
  id: string
  eventId: string
  /** Values of `events.id` and `events.date` of the event whose body is sent. */
  eventRow: string
  eventDate: Date
  event: string
  account: string
  /**
   * Target of the delivery: 'default', 'account', or the id of a route. Unique with eventId except
   * for replays, so that an event read twice adds no delivery.
   */
  target: string
  /**
   * Target URL without credentials: deliveries of one lane (target address) share a concurrency
   * limit.
   */
  lane: string
  state: Generated<'due' | 'delivered' | 'failed' | 'dropped'>
  /** Number of delivery attempts, incremented before the call of the target. */
  attempts: Generated<number>
  queuedAt: Generated<Date>
  nextAttemptAt: Generated<Date>
  claim: string | null
  lastOutcome: string | null
  lastStatus: number | null
  lastError: string | null
  lastResponse: string | null
  finishedAt: Date | null
  /** Id of the failed delivery that this delivery replays. */
  replayOf: string | null
  /** Time at which a replay of this delivery was created. */
  replayedAt: Date | null
  /** Body of the delivery from the map function; null if the event's body is sent. */
  body: string | null
}

/**
 * Filter of failed webhook deliveries, or the id of a single delivery. Absent members match all.
 */
export type ReplayFilter = WebhookReplayFilter & { id?: string }

/**
 * Requested replays of webhook deliveries. Inserted by api-gateway, then changed by
 * webhook-dispatcher only.
 */
export interface WebhookReplays {
  id: string
  filter: Json<ReplayFilter>
  state: Generated<'queued' | 'running' | 'done'>
  total: string | null
  replayed: Generated<string>
  createdAt: Generated<Date>
  startedAt: Date | null
  finishedAt: Date | null
}

/**
 * Log of webhook delivery attempts, if the settings enable the log. Written by webhook-dispatcher.
 */
export interface WebhookAttempts {
  delivery: string
  attempt: number
  endedAt: Generated<Date>
  durationMs: number
  outcome: string
  status: number | null
  error: string | null
  response: string | null
}
