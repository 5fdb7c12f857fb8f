import { connect, type Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from './config.ts'

/**
 * Opens two pools. Statements of `db` time out before a client does, so that it receives a 503.
 * `outbox` stores messages: slower, and separate so that others keep their connections.
 */
export function openPools(
  stack: AsyncDisposableStack,
  { databaseUrl, databasePoolSize }: Config,
  log: Logger,
): { db: Db; outbox: Db } {
  const outboxMax = Math.max(1, Math.floor(databasePoolSize / 4))
  const onError = (err: Error) => log.warn({ err }, 'Postgres connection lost')
  const openPool = (max: number, timeoutMs: number) => {
    const options = { name: 'api-gateway', max, timeoutMs, onError }
    return stack.adopt(connect(databaseUrl, options), (db) => db.destroy())
  }
  return { db: openPool(databasePoolSize - outboxMax, 3_000), outbox: openPool(outboxMax, 30_000) }
}
