import type { Invalidation } from '@posthorn/contracts/hints'
import type { ProviderLimiter } from './provider-limiter.ts'
import { providers } from './provider-limits.ts'

/** Broadcasts over the bus, as far as shared pauses need them. */
interface Broadcasts {
  invalidate(message: Invalidation): Promise<void>
  onInvalidate(listener: (message: Invalidation) => void): Promise<AsyncDisposable>
}

/**
 * Shares the pauses of OAuth2 applications with all sync-workers and senders: a provider counts the
 * requests of all processes together, so each process would run into the same limit. A lost
 * broadcast costs one refused request. Disposal of the result ends the reception of broadcasts.
 */
export function sharePauses(limiter: ProviderLimiter, bus: Broadcasts): Promise<AsyncDisposable> {
  limiter.onApplicationPause = ({ provider, application }, pauseMs) =>
    void bus.invalidate({
      topic: 'providerPauses',
      id: `${provider} ${application}`,
      pauseMs: Math.ceil(pauseMs),
    })
  return bus.onInvalidate(({ topic, id = '', pauseMs }) => {
    // A broadcast without a time means that broadcasts may have been missed. The next refused
    // request shows the pause.
    if (topic !== 'providerPauses' || pauseMs === undefined) return
    const [name, ...rest] = id.split(' ')
    const provider = providers.find((each) => each === name)
    if (provider) limiter.applyPause({ provider, application: rest.join(' ') }, pauseMs)
  })
}
