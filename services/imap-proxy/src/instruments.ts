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
  const passed = { in: 0, out: 0 }
  metrics.counter({
    name: 'imap_proxy_bytes_total',
    help: 'Bytes passed on after the login',
    labels: ['direction'],
    collect(counter) {
      counter.inc({ direction: 'in' }, passed.in)
      counter.inc({ direction: 'out' }, passed.out)
      passed.in = passed.out = 0
    },
  })
  return {
    logins: metrics.counter({
      name: 'imap_proxy_logins_total',
      help: 'Login attempts',
      labels: ['result'],
    }),
    // A sum, and no more, for every piece that passes.
    bytes: {
      in: { inc: (count: number) => void (passed.in += count) },
      out: { inc: (count: number) => void (passed.out += count) },
    },
  }
}
