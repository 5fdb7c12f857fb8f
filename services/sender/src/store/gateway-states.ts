import type { NetworkRouting, OutboxError, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import type { Submission } from './outbox.ts'

/** An attempt, as far as a gateway has to do with it. */
interface Use {
  submission: Pick<Submission, 'gateway'>
  outcome: { state: string; failure?: OutboxError; routing?: NetworkRouting | undefined }
}

/**
 * Notes how gateways are doing: messages they took, and why the last one was not taken. In the transaction that records the outcomes;
 * in the order of their names, so that two such transactions cannot wait for each other. A gateway that was deleted meanwhile has no
 * state any more.
 */
export async function countUses(tx: Tx, uses: readonly Use[]): Promise<void> {
  const states = new Map<string, { deliveries: number; lastError: string | null }>()
  for (const { submission, outcome } of uses) {
    const gateway = submission.gateway?.gateway
    if (gateway === undefined) continue
    const taken = ['sent', 'partly', 'rest'].includes(outcome.state)
    const { deliveries = 0 } = states.get(gateway) ?? {}
    states.set(gateway, {
      deliveries: deliveries + (taken ? 1 : 0),
      lastError: taken ? null : describe(outcome),
    })
  }
  if (states.size === 0) return
  const names = [...states.keys()].toSorted()
  const column = <T>(pick: (state: { deliveries: number; lastError: string | null }) => T) =>
    sql.val(names.map((name) => pick(states.get(name) ?? { deliveries: 0, lastError: null })))
  await sql`
    insert into gateway_states as known (gateway, deliveries, last_use, last_error)
    select told.gateway, told.deliveries, now(), told.last_error::jsonb
    from unnest(${sql.val(names)}::text[], ${column(({ deliveries }) => deliveries)}::bigint[],
      ${column(({ lastError }) => lastError)}::text[]) as told (gateway, deliveries, last_error)
    join gateways using (gateway) order by told.gateway
    on conflict (gateway) do update set deliveries = known.deliveries + excluded.deliveries,
      last_use = excluded.last_use, last_error = excluded.last_error`.execute(tx)
}

function describe({ failure, routing }: Use['outcome']): string {
  const { message = '', code, response, responseCode, command } = failure ?? {}
  return JSON.stringify({
    created: Date.now(),
    status: 'error',
    response,
    responseCode,
    code,
    command,
    description: message,
    networkRouting: routing ?? null,
  })
}
