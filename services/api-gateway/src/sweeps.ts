import type { Bus } from '@posthorn/bus'
import type { Db } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { sweepTokenLog, type TokenLogLimits } from './store/access/token-log.ts'
import { deleteExpiredTokens } from './store/access/tokens.ts'
import { deleteExpired } from './store/delete-expired.ts'
import { deleteExpiredRoutes } from './store/webhooks/webhook-routes.ts'

/**
 * Interval at which api-gateway deletes expired rows from Postgres. Idempotency keys, form links
 * and sign-ins expire after 24 h and are deleted within this time afterwards.
 */
const rowsMs = 600_000
const tokensMs = 60_000
/**
 * Interval at which expired webhook routes are deleted. Programs that receive webhooks for a short
 * time, such as `posthorn webhooks listen`, leave such a route if they are killed.
 */
const routesMs = 10_000

/** Starts the tasks that delete expired Postgres rows periodically, until `stack` is disposed. */
export function startSweeps(
  stack: AsyncDisposableStack,
  db: Db,
  { bus, log, tokenLog }: { bus: Bus; log: Logger; tokenLog: TokenLogLimits },
): void {
  stack.use(
    runPeriodically({ everyMs: rowsMs, log, name: 'expired-rows' }, () => deleteExpired(db)),
  )
  stack.use(
    runPeriodically({ everyMs: tokensMs, log, name: 'expired-tokens' }, async () => {
      await deleteExpiredTokens(db)
      await sweepTokenLog(db, tokenLog)
    }),
  )
  stack.use(
    runPeriodically({ everyMs: routesMs, log, name: 'expired-routes' }, async () => {
      for (const id of await deleteExpiredRoutes(db)) await bus.invalidate({ topic: 'routes', id })
    }),
  )
}
