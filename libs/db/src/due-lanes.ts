import { sql } from 'kysely'

/**
 * SQL definition of `lanes` for a `with recursive` clause: the lanes (queues of one webhook target
 * each) with the time of their oldest delivery in state `due`, read by steps through the index from
 * lane to lane.
 */
export const dueLanes = sql`lanes (lane, oldest_at) as (
      (select lane, next_attempt_at from deliveries where state = 'due'
        order by lane, next_attempt_at limit 1)
      union all
      select next.lane, next.next_attempt_at from lanes
      cross join lateral (select d.lane, d.next_attempt_at from deliveries d
        where d.state = 'due' and d.lane > lanes.lane
        order by d.lane, d.next_attempt_at limit 1) next
    )`
