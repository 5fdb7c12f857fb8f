import type { Metrics } from '@posthorn/telemetry'

/** Metrics of the bus (the RabbitMQ client of a service). */
export type Instruments = ReturnType<typeof createInstruments>

export function createInstruments(
  metrics: Metrics,
  state: { up: () => boolean; blocked: () => boolean },
) {
  const published = metrics.counter({
    name: 'bus_published_total',
    help: 'Messages published, by exchange and result',
    labels: ['exchange', 'result'],
  })
  const consumed = metrics.counter({
    name: 'bus_consumed_total',
    help: 'Messages consumed, by queue and result',
    labels: ['queue', 'result'],
  })
  const requested = metrics.histogram({
    name: 'bus_request_seconds',
    help: 'Time from an rpc request to its reply or the head of its stream',
    labels: ['command', 'result'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  })
  metrics.gauge({
    name: 'bus_up',
    help: '1 if RabbitMQ is connected and all channels are open',
    collect: () => Number(state.up()),
  })
  metrics.gauge({
    name: 'bus_blocked',
    help: '1 if RabbitMQ blocks publishers because of a memory or disk alarm',
    collect: () => Number(state.blocked()),
  })
  return {
    published: (exchange: string, result: 'confirmed' | 'unroutable' | 'failed') =>
      published.inc({ exchange: exchange || 'default', result }),
    consumed: (queue: string, result: string) => consumed.inc({ queue, result }),
    requested: (command: string, result: string, seconds: number) =>
      requested.observe({ command, result }, seconds),
  }
}
