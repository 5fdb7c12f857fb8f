import { startTokenLog } from '@posthorn/access'
import type { Db, SettingsCache } from '@posthorn/db'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { sweepTokenLog, type TokenLogLimits } from '../store/token-log.ts'
import { deleteExpiredTokens } from '../store/tokens.ts'
import { createAuthorizer, type AuthorizerOptions } from './authorizer.ts'
import { trackLastUse } from './last-use.ts'
import { cacheTokens } from './token-cache.ts'

export interface AccessOptions extends Omit<AuthorizerOptions, 'tokens' | 'lastUse' | 'audit'> {
  settings: SettingsCache
  log: Logger
}

/** Creates the authorizer and its token cache. */
export function createAccess(stack: AsyncDisposableStack, options: AccessOptions) {
  const { db, settings, log } = options
  const lastUse = stack.use(trackLastUse(db, log))
  const tokens = cacheTokens(db)
  const audit = stack.use(startTokenLog(db, settings, { log }))
  return { authorizer: createAuthorizer({ ...options, tokens, lastUse, audit }), tokens }
}

const sweepMs = 60_000

/** Deletes expired tokens and old entries of their logs periodically. */
export function sweepAccess(db: Db, log: Logger, limits: TokenLogLimits): PeriodicTask {
  return runPeriodically({ everyMs: sweepMs, log, name: 'expired-tokens' }, async () => {
    await deleteExpiredTokens(db)
    await sweepTokenLog(db, limits)
  })
}
