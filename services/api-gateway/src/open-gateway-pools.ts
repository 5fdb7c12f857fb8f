import { type PooledDb, statementTimeoutMs } from '@posthorn/db'
import { openPools, type PoolDeps } from '@posthorn/service/open-pools'

/** Maximum duration of a SQL statement that stores a message. */
const outboxTimeoutMs = 30_000

/**
 * Opens two pools of Postgres connections. Statements of the pool `db` time out before an API
 * client does, so that the client receives a 503. The pool `outbox` is for storing messages, which
 * takes longer. Separate pools keep slow inserts from occupying the connections of all other
 * statements.
 */
export function openGatewayPools(
  stack: AsyncDisposableStack,
  deps: PoolDeps,
  size: number,
): { db: PooledDb; outbox: PooledDb } {
  const outboxMax = Math.max(1, Math.floor(size / 4))
  const { main: db, outbox } = openPools(stack, deps, {
    main: { max: size - outboxMax, timeoutMs: statementTimeoutMs('api-gateway') },
    outbox: { max: outboxMax, timeoutMs: outboxTimeoutMs, isPipelined: true },
  })
  return { db, outbox }
}
