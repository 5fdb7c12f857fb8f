import type { Metrics } from '@posthorn/telemetry'

export type Instruments = ReturnType<typeof createInstruments>

export function createInstruments(
  metrics: Metrics,
  { sessions, pending }: Record<'sessions' | 'pending', { readonly size: number }>,
) {
  metrics.gauge({
    name: 'imap_proxy_sessions',
    help: 'Mail clients logged in',
    collect: () => sessions.size,
  })
  metrics.gauge({
    name: 'imap_proxy_pending',
    help: 'Connections that are not logged in yet',
    collect: () => pending.size,
  })
  const bytes = metrics.counter({
    name: 'imap_proxy_bytes_total',
    help: 'Bytes passed on after the login',
    labels: ['direction'],
  })
  return {
    logins: metrics.counter({
      name: 'imap_proxy_logins_total',
      help: 'Login attempts',
      labels: ['result'],
    }),
    // Labels are looked up once, and not for every piece that passes.
    bytes: { in: bytes.labels('in'), out: bytes.labels('out') },
  }
}
