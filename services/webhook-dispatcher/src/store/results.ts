import type { Db } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'

/** What is to be recorded of a delivery that leaves this process's hands. */
export interface DeliveryResult {
  id: string
  state: 'due' | 'delivered' | 'failed' | 'dropped'
  /** Until it is due again. */
  waitMs: number
  /** Its attempt was begun and is not to count. */
  uncounted: boolean
  /** Null: nothing to tell, what was told before stays. */
  outcome: string | null
  status: number | null
  error: string | null
  response: string | null
  /** For the log of attempts, where one is kept. */
  logged?: { attempt: number; durationMs: number }
  /** The target asked to be left alone for so long. Not recorded. */
  pauseMs?: number
}

/** Records results and gives the claims up. What is not this process's any more stays as it is: whoever took it over decides. */
export async function recordResults(
  db: Db,
  results: readonly DeliveryResult[],
  self: string,
): Promise<void> {
  if (results.length === 0) return
  const column = <T>(pick: (result: DeliveryResult) => T) => sql.val(results.map(pick))
  // The list of ids again in `where` is for the planner: without statistics the join alone has it read the whole table.
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
      last_response = case when r.outcome is null then d.last_response else r.response end
    from unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ state }) => state)}::text[],
      ${column(({ waitMs }) => waitMs / 1000)}::double precision[], ${column(({ uncounted }) => uncounted)}::boolean[],
      ${column(({ outcome }) => outcome)}::text[], ${column(({ status }) => status)}::smallint[],
      ${column(({ error }) => error)}::text[], ${column(({ response }) => response)}::text[]
    ) as r (id, state, wait_seconds, uncounted, outcome, status, error, response)
    where d.id = r.id and d.id = any(${results.map(({ id }) => id)}::uuid[]) and d.claim = ${self}::uuid and d.state = 'due'
  `
  const logged = results.filter((result) => result.logged)
  await (logged.length === 0 ? recorded : andLogged(recorded, logged)).execute(db)
}

/** With what came of the attempts, in one statement. */
function andLogged(recorded: RawBuilder<unknown>, results: readonly DeliveryResult[]) {
  const column = <T>(pick: (result: DeliveryResult) => T) => sql.val(results.map(pick))
  return sql`
    with recorded as (${recorded} returning d.id)
    insert into webhook_attempts (delivery, attempt, duration_ms, outcome, status, error, response)
    select a.* from unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ logged }) => logged?.attempt)}::smallint[],
      ${column(({ logged }) => Math.round(logged?.durationMs ?? 0))}::integer[], ${column(({ outcome }) => outcome)}::text[],
      ${column(({ status }) => status)}::smallint[], ${column(({ error }) => error)}::text[], ${column(({ response }) => response)}::text[]
    ) as a (delivery, attempt, duration_ms, outcome, status, error, response)
    join recorded on recorded.id = a.delivery
  `
}

/** Deletes up to `limit` lines of the log that were kept long enough. Returns how many. */
export async function deleteAttempts(db: Db, keepDays: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_attempts where ctid in (
      select ctid from webhook_attempts where ended_at < now() - make_interval(secs => ${keepDays * 86_400}) limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
