import type { ServiceContext } from '@posthorn/service/bootstrap'
import type { createSessions } from './sessions/create-sessions.ts'

/** Objects of the sync-worker process that cache data of other processes. */
type Invalidated = Pick<ReturnType<typeof createSessions>, 'sessions' | 'settings' | 'summaries'>

/**
 * Handles broadcasts of other processes that data changed: drops cached settings, and reads changed
 * registrations of accounts and changed Pub/Sub applications again.
 */
export function handleInvalidations(
  bus: ServiceContext['bus'],
  { sessions, settings, summaries, pubSub }: Invalidated & { pubSub: { wake(): void } },
): Promise<AsyncDisposable> {
  return bus.onInvalidate(({ topic, id: account }) => {
    if (topic === 'settings') {
      settings.invalidate()
      summaries.invalidate()
    }
    if (topic === 'accounts') sessions.refresh(account)
    if (topic === 'oauth2Apps') pubSub.wake()
  })
}
