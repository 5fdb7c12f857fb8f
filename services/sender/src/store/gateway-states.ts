import type { NetworkRouting, OutboxError, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import type { Submission } from './submission.ts'
import type { AttemptOutcome } from './submission-states.ts'

/** Use of a gateway (shared SMTP server) by a sending attempt, with the outcome of the attempt. */
interface GatewayUse {
  submission: Pick<Submission, 'gateway'>
  outcome: AttemptOutcome
}

/**
 * Updates the statistics of gateways (shared SMTP servers): number of accepted messages and last
 * error. Locks rows in the order of gateway names, so that concurrent transactions cannot deadlock.
 * Skips deleted gateways.
 */
export async function updateGatewayStates(tx: Tx, uses: readonly GatewayUse[]): Promise<void> {
  const states = new Map<string, { deliveries: number; lastError: string | null }>()
  for (const { submission, outcome } of uses) {
    if (!submission.gateway) continue
    const { name } = submission.gateway
    const isAccepted = !('failure' in outcome) || outcome.trigger === 'acceptPart'
    states.set(name, {
      deliveries: (states.get(name)?.deliveries ?? 0) + (isAccepted ? 1 : 0),
      lastError: isAccepted ? null : toGatewayError(outcome.failure, outcome.routing),
    })
  }
  if (states.size === 0) return
  const sorted = [...states].toSorted(([a], [b]) => (a < b ? -1 : 1))
  await sql`
    insert into gateway_states as stored (gateway, deliveries, last_use, last_error)
    select used.gateway, used.deliveries, now(), used.last_error::jsonb
    from unnest(${sql.val(sorted.map(([name]) => name))}::text[],
      ${sql.val(sorted.map(([, { deliveries }]) => deliveries))}::bigint[],
      ${sql.val(sorted.map(([, { lastError }]) => lastError))}::text[])
      as used (gateway, deliveries, last_error)
    join gateways using (gateway) order by used.gateway
    on conflict (gateway) do update set deliveries = stored.deliveries + excluded.deliveries,
      last_use = excluded.last_use, last_error = excluded.last_error`.execute(tx)
}

function toGatewayError(failure: OutboxError, routing: NetworkRouting | undefined): string {
  const { message: description, ...reply } = failure
  const networkRouting = routing ?? null
  return JSON.stringify({
    created: Date.now(),
    status: 'error',
    ...reply,
    description,
    networkRouting,
  })
}
