import type { Db } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'
import type { ClaimedDelivery, ClaimOwner } from './deliveries.ts'

/**
 * States of a delivery, their triggers and the next states.
 *
 * `claimed` and `attempting` are stored as `due` with `claim` set: until the lease ends the row
 * belongs to one process. The other states are the values of `deliveries.state`.
 *
 * | state | trigger | next | committed |
 * |---|---|---|---|
 * | due | claim | claimed | owner and lease, by the fan-out or by a poll |
 * | due | defer | due | due again in 0.5 s: an earlier delivery of its account and lane is open |
 * | claimed | begin | attempting | attempt count, before the call: the intent record |
 * | claimed | release | due | no owner; an intent record without a call is subtracted |
 * | claimed | drop | dropped | target or event no longer exists |
 * | claimed | exhaust | failed | `interrupted`: the last process died; `too-large`: the body |
 * | claimed | expire | due | nothing: the lease was not renewed |
 * | attempting | accept | delivered | response 2xx |
 * | attempting | retry | due | failure and time of the next attempt |
 * | attempting | fail | failed | permanent failure, or the last attempt failed |
 * | attempting | cancel | due | shutdown aborts, or a pause prevents the call: attempt subtracted |
 * | attempting | excuse | due | fault of the proxy: attempt subtracted, retried later |
 * | attempting | expire | due | nothing: the attempt stays counted and is repeated |
 * | failed | replay | failed | `replayed_at`, and a new delivery in `due` |
 */
export const transitions = {
  due: { claim: 'claimed', defer: 'due' },
  claimed: {
    begin: 'attempting',
    release: 'due',
    drop: 'dropped',
    exhaust: 'failed',
    expire: 'due',
  },
  attempting: {
    accept: 'delivered',
    retry: 'due',
    fail: 'failed',
    cancel: 'due',
    excuse: 'due',
    expire: 'due',
  },
  delivered: {},
  dropped: {},
  failed: { replay: 'failed' },
} as const

type Transitions = typeof transitions
export type DeliveryState = keyof Transitions
export type DeliveryTrigger<S extends DeliveryState = 'claimed' | 'attempting'> =
  S extends DeliveryState ? keyof Transitions[S] : never
/**
 * States in which a process may leave a webhook delivery when the process ends its claim of the
 * delivery.
 */
export type RecordedState = Exclude<DeliveryState, 'claimed' | 'attempting'>

/** Next state of a webhook delivery. The types admit only the triggers of the given state. */
export function transition<S extends DeliveryState, T extends keyof Transitions[S]>(
  state: S,
  trigger: T,
): Transitions[S][T] {
  return transitions[state][trigger]
}

/**
 * Result with which a process ends its claim of a webhook delivery, in the form that is recorded.
 */
export interface DeliveryResult {
  id: string
  state: RecordedState
  /** Time until the next attempt of the webhook delivery. */
  waitMs: number
  /** True if a webhook delivery attempt was counted in advance and is subtracted again. */
  uncounted: boolean
  /**
   * Outcome of the webhook delivery attempt. Null leaves the columns of the last result (outcome,
   * status, error, response) unchanged.
   */
  outcome: string | null
  status: number | null
  error: string | null
  response: string | null
  /** Duration of the call of the webhook target. Null without a call. */
  durationMs: number | null
  /**
   * Number of the attempt, if the setting `webhooksAttemptLog` is on. The result is then also a
   * line of the log of webhook attempts.
   */
  loggedAttempt?: number
  /**
   * Time for which the webhook target asked for no calls at all. This time is not recorded in
   * Postgres.
   */
  suspendMs?: number
}

/**
 * Writes intent records of webhook deliveries: counts attempts before their calls. Sets the count
 * to the number after `attempts` of the delivery, so that a repeated statement counts once.
 *
 * Returns the counts of rows that `owner` still holds for at least `minLeaseMs` more. With 0, an
 * expired lease is accepted as long as no other process claimed the row. The lease is renewed by
 * `renewClaims` only: an update of the count alone changes no index.
 */
export async function beginAttempts(
  db: Db,
  deliveries: readonly Pick<ClaimedDelivery, 'id' | 'attempts'>[],
  { id: owner, minLeaseMs }: Pick<ClaimOwner, 'id'> & { minLeaseMs: number },
): Promise<Map<string, number>> {
  const ids = deliveries.map(({ id }) => id)
  const attempts = deliveries.map((delivery) => delivery.attempts)
  const { rows } = await sql<{ id: string; attempts: number }>`
    update deliveries d set attempts = begun.attempts + 1
    from unnest(${ids}::uuid[], ${attempts}::smallint[]) as begun (id, attempts)
    where d.id = begun.id and d.id = any(${ids}::uuid[]) and d.claim = ${owner}::uuid
      and d.state = 'due' and (${minLeaseMs}::double precision = 0
        or d.next_attempt_at > now() + make_interval(secs => ${minLeaseMs / 1000}))
    returning d.id, d.attempts
  `.execute(db)
  return new Map(rows.map((row) => [row.id, row.attempts]))
}

/**
 * Records results of webhook delivery attempts and ends the claims, in one statement with the lines
 * of the attempt log. Skips deliveries that another process has claimed meanwhile.
 */
export async function recordResults(
  db: Db,
  results: readonly DeliveryResult[],
  owner: string,
): Promise<void> {
  if (results.length === 0) return
  const column = <T>(pick: (result: DeliveryResult) => T) => sql.val(results.map(pick))
  // The condition `where` repeats the webhook delivery ids for Postgres's planner: without
  // statistics, the join alone makes the planner read the whole table.
  const recorded = sql`
    update deliveries d set
      claim = null,
      state = r.state,
      attempts = d.attempts - case when r.uncounted then 1 else 0 end,
      next_attempt_at = now() + make_interval(secs => r.wait_seconds),
      finished_at = case when r.state <> 'due' then now() end,
      last_outcome = coalesce(r.outcome, d.last_outcome),
      last_status = case when r.outcome is null then d.last_status else r.status end,
      last_error = case when r.outcome is null then d.last_error else r.error end,
      last_response = case when r.outcome is null then d.last_response else r.response end,
      last_ended_at = case when r.duration_ms is null then d.last_ended_at else now() end,
      last_duration_ms = coalesce(r.duration_ms, d.last_duration_ms)
    from unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ state }) => state)}::text[],
      ${column(({ waitMs }) => waitMs / 1000)}::double precision[],
      ${column(({ uncounted }) => uncounted)}::boolean[],
      ${column(({ outcome }) => outcome)}::text[], ${column(({ status }) => status)}::smallint[],
      ${column(({ error }) => error)}::text[], ${column(({ response }) => response)}::text[],
      ${column(durationOf)}::integer[]
    ) as r (id, state, wait_seconds, uncounted, outcome, status, error, response, duration_ms)
    where d.id = r.id and d.id = any(${results.map(({ id }) => id)}::uuid[])
      and d.claim = ${owner}::uuid and d.state = 'due'
  `
  const logged = results.filter(({ loggedAttempt }) => loggedAttempt !== undefined)
  await (logged.length === 0 ? recorded : withAttemptLog(recorded, logged)).execute(db)
}

/** Duration of the call of a webhook target in whole milliseconds. Null without a call. */
function durationOf({ durationMs }: DeliveryResult): number | null {
  return durationMs === null ? null : Math.round(durationMs)
}

function withAttemptLog(recorded: RawBuilder<unknown>, results: readonly DeliveryResult[]) {
  const column = <T>(pick: (result: DeliveryResult) => T) => sql.val(results.map(pick))
  return sql`
    with recorded as (${recorded} returning d.id)
    insert into webhook_attempts (delivery, attempt, duration_ms, outcome, status, error, response)
    select a.* from unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ loggedAttempt }) => loggedAttempt)}::smallint[],
      ${column(durationOf)}::integer[],
      ${column(({ outcome }) => outcome)}::text[], ${column(({ status }) => status)}::smallint[],
      ${column(({ error }) => error)}::text[], ${column(({ response }) => response)}::text[]
    ) as a (delivery, attempt, duration_ms, outcome, status, error, response)
    join recorded on recorded.id = a.delivery
  `
}
