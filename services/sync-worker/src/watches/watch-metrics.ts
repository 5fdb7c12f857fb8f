import type { Metrics } from '@posthorn/telemetry'

export interface WatchMetrics {
  /**
   * Counts a notification from a provider. `unknown` means that this worker has no session of the
   * account, for example because another worker holds the account.
   */
  notified(outcome: 'accepted' | 'forged' | 'unknown'): void
  /** Counts an attempt to register or renew a watch (registration for notifications). */
  watchRenewed(outcome: 'created' | 'renewed' | 'failed'): void
}

/** Creates the metrics of watches (registrations for providers' notifications). */
export function createWatchMetrics(metrics: Metrics): WatchMetrics {
  const notifications = metrics.counter({
    name: 'provider_notices_total',
    help: 'Notifications of providers about accounts, by outcome',
    labels: ['outcome'],
  })
  const renewals = metrics.counter({
    name: 'watch_renewals_total',
    help: 'Registrations and renewals of provider notifications, by outcome',
    labels: ['outcome'],
  })
  return {
    notified: (outcome) => notifications.inc({ outcome }),
    watchRenewed: (outcome) => renewals.inc({ outcome }),
  }
}

/** Registers the gauge of accounts by whether their provider sends notifications. */
export function registerWatchGauge(
  metrics: Metrics,
  count: () => { active: number; inactive: number },
): void {
  metrics.gauge({
    name: 'watches',
    help: 'Accounts whose provider can notify, by whether it does',
    labels: ['state'],
    collect(gauge) {
      for (const [state, accounts] of Object.entries(count())) gauge.set({ state }, accounts)
    },
  })
}
