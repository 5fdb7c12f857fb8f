import type { Db } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { deleteExpired } from './store/delete-expired.ts'
import { sweepTokenLog, type TokenLogLimits } from './store/token-log.ts'
import { deleteExpiredTokens } from './store/tokens.ts'

/**
 * Interval at which expired rows are deleted. Idempotency keys, form links and sign-ins expire
 * after 24 h and are deleted within this time afterwards.
 */
const rowsMs = 600_000
const tokensMs = 60_000

/** Starts the tasks that delete expired rows periodically, until `stack` is disposed. */
export function startSweeps(
  stack: AsyncDisposableStack,
  db: Db,
  { log, tokenLog }: { log: Logger; tokenLog: TokenLogLimits },
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
}
