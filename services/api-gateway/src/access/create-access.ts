import { startTokenLog } from '@posthorn/access'
import type { Db, SettingsCache } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from '../config.ts'
import { cacheAdminSessions } from './admin-sessions.ts'
import { AddressLimiter } from './rate-limits.ts'
import { createAuthorizer } from './authorizer.ts'
import { createKnownHosts } from './authenticate.ts'
import { cacheTokens, trackLastUse } from './tokens.ts'

export interface AccessOptions {
  config: Pick<Config, 'requireApiAuth' | 'httpServer'>
  db: Db
  settings: SettingsCache
  log: Logger
}

/** Creates the authorizer of API requests, and its caches of access tokens and sessions. */
export function createAccess(stack: AsyncDisposableStack, options: AccessOptions) {
  const { config, db, settings, log } = options
  const { trustedProxies, allowedHosts, maxRequestsPerAddress: maxPerMinute } = config.httpServer
  const lastUse = stack.use(trackLastUse(db, log))
  const tokens = cacheTokens(db)
  const sessions = cacheAdminSessions(db)
  const audit = stack.use(startTokenLog(db, settings, { log }))
  const authorizer = createAuthorizer({
    db,
    tokens,
    sessions,
    lastUse,
    audit,
    requireToken: config.requireApiAuth,
    trustedProxies,
    addressLimiter: new AddressLimiter({ maxPerMinute }),
    isKnownHost: createKnownHosts({ settings, allowedHosts }),
  })
  return { authorizer, tokens, sessions }
}
