import type { Metrics } from '@posthorn/telemetry'

export type ImapProxyMetrics = ReturnType<typeof createImapProxyMetrics>

/** Registers the metrics of imap-proxy. */
export function createImapProxyMetrics(
  metrics: Metrics,
  { sessions, pending }: Record<'sessions' | 'pending', { readonly size: number }>,
) {
  metrics.gauge({
    name: 'imap_proxy_sessions',
    help: 'Number of sessions of mail clients',
    collect: () => sessions.size,
  })
  metrics.gauge({
    name: 'imap_proxy_pending',
    help: 'Number of connections that are not logged in',
    collect: () => pending.size,
  })
  const relayed = { in: 0, out: 0 }
  metrics.counter({
    name: 'imap_proxy_bytes_total',
    help: 'Bytes relayed after the login',
    labels: ['direction'],
    collect(counter) {
      counter.inc({ direction: 'in' }, relayed.in)
      counter.inc({ direction: 'out' }, relayed.out)
      relayed.in = relayed.out = 0
    },
  })
  return {
    logins: metrics.counter({
      name: 'imap_proxy_logins_total',
      help: 'Number of login attempts',
      labels: ['result'],
    }),
    // Counters of relayed bytes are plain sums, because the counters are called for every chunk.
    bytes: {
      in: { inc: (count: number) => void (relayed.in += count) },
      out: { inc: (count: number) => void (relayed.out += count) },
    },
  }
}
