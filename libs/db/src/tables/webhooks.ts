import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** Filter of failed deliveries. Absent members match all. */
export interface ReplayFilter {
  /** Id of a single delivery. */
  id?: string
  target?: string
  /** Target URL without credentials and query. */
  address?: string
  event?: string
  account?: string
  outcome?: string
  /** Time range of the failure (ISO 8601). */
  since?: string
  until?: string
}

/** Requested replays. Inserted by api-gateway, then changed by webhook-dispatcher only. */
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

/** Log of attempts, if the settings enable it. Written by webhook-dispatcher. */
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
