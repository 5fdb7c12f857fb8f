import { startTokenLog } from '@posthorn/access'
import type { Db, SettingsCache } from '@posthorn/db'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from '../config.ts'
import { sweepTokenLog, type TokenLogLimits } from '../store/token-log.ts'
import { deleteExpiredTokens } from '../store/tokens.ts'
import { AddressLimiter } from './address-limiter.ts'
import { createAuthorizer } from './authorizer.ts'
import { createKnownHosts } from './known-hosts.ts'
import { trackLastUse } from './last-use.ts'
import { cacheTokens } from './token-cache.ts'

export interface AccessOptions {
  config: Pick<Config, 'requireApiAuth' | 'httpServer'>
  db: Db
  settings: SettingsCache
  log: Logger
}

/** Creates the authorizer and its token cache. */
export function createAccess(stack: AsyncDisposableStack, options: AccessOptions) {
  const { config, db, settings, log } = options
  const { trustedProxies, allowedHosts, maxRequestsPerAddress: maxPerMinute } = config.httpServer
  const lastUse = stack.use(trackLastUse(db, log))
  const tokens = cacheTokens(db)
  const audit = stack.use(startTokenLog(db, settings, { log }))
  const authorizer = createAuthorizer({
    db,
    tokens,
    lastUse,
    audit,
    requireToken: config.requireApiAuth,
    trustedProxies,
    addressLimiter: new AddressLimiter({ maxPerMinute }),
    isKnownHost: createKnownHosts({ settings, allowedHosts }),
  })
  return { authorizer, tokens }
}

const sweepMs = 60_000

/** Deletes expired tokens and old entries of their logs periodically. */
export function sweepAccess(db: Db, log: Logger, limits: TokenLogLimits): PeriodicTask {
  return runPeriodically({ everyMs: sweepMs, log, name: 'expired-tokens' }, async () => {
    await deleteExpiredTokens(db)
    await sweepTokenLog(db, limits)
  })
}
