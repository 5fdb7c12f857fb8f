import type { WebhookReplayFilter } from '@posthorn/contracts/schemas/webhook-delivery'
import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/**
 * Webhook deliveries. Each row is one event on its way to one target. Written by
 * webhook-dispatcher.
 */
export interface Deliveries {
  /** Id of the webhook delivery, which is sent in the header `X-SVC-Wh-Id`. */
  id: string
  eventId: string
  /** Id and date (`events.id`, `events.date`) of the event that the webhook delivers. */
  eventRow: string
  eventDate: Date
  event: string
  account: string
  /**
   * Target of the webhook delivery: 'default', 'account', or the id of a route. Unique together
   * with eventId, except for replays, so that processing an event twice adds no second delivery.
   */
  target: string
  /**
   * Target URL of a webhook without credentials. All deliveries with this URL form a queue (lane)
   * and share a concurrency limit.
   */
  lane: string
  state: Generated<'due' | 'delivered' | 'failed' | 'dropped'>
  /** Number of attempts to deliver the webhook, incremented before the request to the target. */
  attempts: Generated<number>
  queuedAt: Generated<Date>
  nextAttemptAt: Generated<Date>
  claim: string | null
  lastOutcome: string | null
  lastStatus: number | null
  lastError: string | null
  lastResponse: string | null
  /** End and duration of the last attempt to deliver the webhook. */
  lastEndedAt: Date | null
  lastDurationMs: number | null
  finishedAt: Date | null
  /** Id of the failed webhook delivery that this delivery repeats (replay). */
  replayOf: string | null
  /**
   * Time at which the webhook delivery was created as a replay. Null for a delivery that is no
   * replay.
   */
  replayedAt: Date | null
  /**
   * Body of the webhook delivery that the map function of a route returned. Null if the unchanged
   * body of the event is sent.
   */
  body: string | null
}

/**
 * Filter for failed webhook deliveries, or the id of a single delivery. Absent members match any
 * delivery.
 */
export type ReplayFilter = WebhookReplayFilter & { id?: string }

/**
 * Requests to replay webhook deliveries. Inserted by api-gateway, then changed only by
 * webhook-dispatcher.
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
 * Log of the attempts to deliver webhooks, if the settings enable this log. Written by
 * webhook-dispatcher.
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
