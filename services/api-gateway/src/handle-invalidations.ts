import type { Bus } from '@posthorn/bus'
import type { Invalidation } from '@posthorn/contracts/hints'
import type { AdminSessionCache } from './access/admin-sessions.ts'
import type { TokenWatch } from './access/token-watch.ts'
import type { OperationDeps } from './operations/operation-deps.ts'
import type { PushTrust } from './public/notifications/push-trust.ts'

/** Parts of api-gateway that cache stored data, or that wait for changes of stored data. */
export interface InvalidatedParts extends Pick<OperationDeps, 'settings' | 'tokens' | 'changes'> {
  sessions: AdminSessionCache
  tokenWatch: TokenWatch
  pushTrust: PushTrust
}

/**
 * Handles broadcasts that stored data has changed: the parts of api-gateway that use the data read
 * the data again. Disposal of the result ends the handling.
 */
export function handleInvalidations(bus: Bus, parts: InvalidatedParts): Promise<AsyncDisposable> {
  return bus.onInvalidate((message) => invalidateCaches(message, parts))
}

function invalidateCaches({ topic, id }: Invalidation, parts: InvalidatedParts) {
  const { settings, tokens, sessions, changes, tokenWatch, pushTrust } = parts
  if (topic === 'settings') settings.invalidate()
  if (topic === 'settings' || topic === 'oauth2Apps') pushTrust.wake()
  if (topic === 'changes') changes.wake()
  if (topic === 'tokens') tokens.invalidate(id)
  if (topic === 'adminSessions') sessions.invalidate()
  if (topic === 'tokens' || topic === 'adminSessions') void tokenWatch.check()
}
