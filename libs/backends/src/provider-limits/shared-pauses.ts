import type { Invalidation } from '@posthorn/contracts/hints'
import type { ProviderLimiter } from './provider-limiter.ts'
import { providers } from './provider-limits.ts'

/**
 * Methods of the bus that shared pauses of OAuth2 applications need: sending and receiving
 * broadcasts.
 */
interface Broadcasts {
  invalidate(message: Invalidation): Promise<void>
  onInvalidate(listener: (message: Invalidation) => void): Promise<AsyncDisposable>
}

/**
 * Shares the pauses (delays of provider requests) of OAuth2 applications with all sync-workers and
 * senders. A provider counts the requests of all processes together, so each process would exceed
 * the same limit. A lost broadcast costs one refused request. Disposing of the result ends the
 * reception of broadcasts.
 */
export function sharePauses(limiter: ProviderLimiter, bus: Broadcasts): Promise<AsyncDisposable> {
  limiter.onApplicationPause = ({ provider, application }, pauseMs) =>
    void bus.invalidate({
      topic: 'providerPauses',
      id: `${provider} ${application}`,
      pauseMs: Math.ceil(pauseMs),
    })
  return bus.onInvalidate(({ topic, id = '', pauseMs }) => {
    // Ignores a broadcast about a pause of an OAuth2 application that has no time, which means that
    // earlier broadcasts may have been missed. The next refused request shows the pause again.
    if (topic !== 'providerPauses' || pauseMs === undefined) return
    const [name, ...rest] = id.split(' ')
    const provider = providers.find((each) => each === name)
    if (provider) limiter.applyPause({ provider, application: rest.join(' ') }, pauseMs)
  })
}
