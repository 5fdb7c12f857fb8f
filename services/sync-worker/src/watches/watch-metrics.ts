import type { Metrics } from '@posthorn/telemetry'

export interface WatchMetrics {
  /**
   * Counts a notification of a provider. `unknown`: this worker has no session of the account, as
   * for accounts of other workers.
   */
  notified(outcome: 'accepted' | 'forged' | 'unknown'): void
  /** Counts a registration or renewal of a watch. */
  watchRenewed(outcome: 'created' | 'renewed' | 'failed'): void
}

/** Creates the metrics of watches. */
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

/** Registers the gauge of accounts with and without notifications of their provider. */
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
