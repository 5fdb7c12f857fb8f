import type { NetworkRouting, OutboxError } from '@posthorn/db'
import { sql } from 'kysely'

/** The last attempt to send by an account's own server. */
export interface SendingAttempt {
  /** Text, as JSON has it. */
  at: string
  sent: boolean
  response: string | null
  lastError: OutboxError | null
  networkRouting: NetworkRouting | null
}

/** Of a message that waits for its next attempt, the outcome of the last one counts. */
const hasOutcome = sql`gateway is null and (state = 'sent' or last_error is not null)`
/** Looked at of an account, so that reading one that sends a lot costs no more than reading others. */
const newest = 100

/**
 * Of the account of a statement from `accounts`, as far as its newest messages tell; null where they do not. Nothing more is written for
 * it when a message is sent.
 */
export const lastSendingAttempt = sql<SendingAttempt | null>`(
  select jsonb_build_object('at', at, 'sent', state = 'sent', 'response', response, 'lastError', last_error,
    'networkRouting', network_routing)
  from (
    select state, response, last_error, network_routing, gateway,
      coalesce(finished_at, attempt_started_at, created_at) as at from outbox
    where outbox.account = accounts.account order by created_at desc, queue_id desc limit ${sql.lit(newest)}
  ) as newest_messages
  where ${hasOutcome} order by at desc limit 1
)`
