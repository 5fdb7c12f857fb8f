import { type PooledDb, statementTimeoutMs } from '@posthorn/db'
import { openPools, type PoolDeps } from '@posthorn/service/open-pools'

/** Maximum duration of a SQL statement that stores a message. */
const outboxTimeoutMs = 30_000

/**
 * Opens two pools of Postgres connections. Statements of `db` time out before a client does, so
 * that the client receives a 503. `outbox` stores messages, which takes longer. The pool of
 * `outbox` is separate, so that all other statements keep their connections.
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
