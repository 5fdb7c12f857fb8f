import type { Generated } from 'kysely'

/** One event on its way to one target. Written by webhook-dispatcher alone. */
export interface Deliveries {
  /** `X-SVC-Wh-Id`. */
  id: string
  eventId: string
  /** events.id and events.date: where its body is. */
  eventRow: string
  eventDate: Date
  event: string
  account: string
  /** 'default', 'account', or a route's id; unique with eventId but for repeats, so that an event read twice adds nothing. */
  target: string
  /** The address called, without credentials: what calls share a cap. */
  lane: string
  state: Generated<'due' | 'delivered' | 'failed' | 'dropped'>
  /** Counted before the call. */
  attempts: Generated<number>
  queuedAt: Generated<Date>
  nextAttemptAt: Generated<Date>
  claim: string | null
  lastOutcome: string | null
  lastStatus: number | null
  lastError: string | null
  lastResponse: string | null
  finishedAt: Date | null
  /** The failed delivery that this one repeats. */
  replayOf: string | null
  /** When it was repeated, as a delivery of its own. */
  replayedAt: Date | null
  /** What is sent, where it is not the event's own body. */
  body: string | null
}
