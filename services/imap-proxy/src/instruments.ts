import type { Metrics } from '@posthorn/telemetry'

export type Instruments = ReturnType<typeof createInstruments>

export function createInstruments(metrics: Metrics, sessions: { readonly size: number }) {
  metrics.gauge({
    name: 'imap_proxy_sessions',
    help: 'Mail clients logged in',
    collect: () => sessions.size,
  })
  return {
    logins: metrics.counter({
      name: 'imap_proxy_logins_total',
      help: 'Login attempts',
      labels: ['result'],
    }),
    bytes: metrics.counter({
      name: 'imap_proxy_bytes_total',
      help: 'Bytes passed on after the login',
      labels: ['direction'],
    }),
  }
}
