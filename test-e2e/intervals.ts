/**
 * Short intervals for the services, because end-to-end tests check results instead of waiting
 * times.
 */
export const shortIntervals = {
  SVC_RECONNECT_MIN: '200ms',
  SVC_RECONNECT_MAX: '1s',
  SVC_QUICK_ROUND_INTERVAL: '500ms',
  SVC_WEBHOOK_RETRY_BASE: '300ms',
  SVC_SENDER_RETRY_BASE: '300ms',
  // Long lease, so that a process that pauses for some seconds on a busy machine keeps its leases.
  SVC_SENDER_LEASE: '20s',
  SVC_WEBHOOK_LEASE: '20s',
  SVC_WORKER_HEARTBEAT: '4s',
  SVC_WORKER_ACCOUNTS_SWEEP: '500ms',
  // Long timeout of API calls, because a worker on a busy machine may need more than the default of
  // 10 s for a call.
  SVC_TIMEOUT: '60s',
  // High limit of requests per client address, because all clients of a test system have the same
  // address.
  SVC_RATE_LIMIT_PER_ADDRESS: '1000000000',
  SVC_PUBLIC_RATE_LIMIT_PER_ADDRESS: '0',
  SVC_UNVERIFIED_NOTIFICATIONS_PER_ADDRESS: '0',
  SVC_LOG_LEVEL: 'info',
}

/** Intervals as in production, for measurements of idle services. */
export const productionIntervals = {
  SVC_QUICK_ROUND_INTERVAL: '12s',
  SVC_WORKER_HEARTBEAT: '5s',
  SVC_WORKER_ACCOUNTS_SWEEP: '5s',
}
