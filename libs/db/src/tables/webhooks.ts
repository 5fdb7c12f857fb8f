import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** Which failed deliveries are meant. Absent members mean any. */
export interface ReplayFilter {
  /** One delivery alone. */
  id?: string
  target?: string
  /** The address called, without credentials and query. */
  address?: string
  event?: string
  account?: string
  outcome?: string
  /** When it failed, ISO 8601. */
  since?: string
  until?: string
}

/** Wishes to repeat all failed deliveries that a filter finds. Inserted by api-gateway, from then on changed by webhook-dispatcher alone. */
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

/** What came of single attempts, where the settings ask for it. Written by webhook-dispatcher. */
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
