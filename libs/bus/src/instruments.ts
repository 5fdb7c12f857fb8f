import type { Metrics } from '@posthorn/telemetry'

/** What the bus counts. */
export interface Instruments {
  published(exchange: string, result: 'confirmed' | 'unroutable' | 'failed'): void
  consumed(queue: string, result: string): void
  asked(command: string, result: string, seconds: number): void
}

export function createInstruments(
  metrics: Metrics,
  state: { up: () => boolean; blocked: () => boolean },
): Instruments {
  const published = metrics.counter({
    name: 'bus_published_total',
    help: 'Messages published, by exchange and what became of them',
    labels: ['exchange', 'result'],
  })
  const consumed = metrics.counter({
    name: 'bus_consumed_total',
    help: 'Messages taken from a queue, by what became of them',
    labels: ['queue', 'result'],
  })
  const asked = metrics.histogram({
    name: 'bus_ask_seconds',
    help: 'Time from a question to its (first) answer',
    labels: ['command', 'result'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  })
  metrics.gauge({
    name: 'bus_up',
    help: '1 while RabbitMQ can be used',
    collect: () => Number(state.up()),
  })
  metrics.gauge({
    name: 'bus_blocked',
    help: '1 while RabbitMQ holds back publishers (memory or disk alarm)',
    collect: () => Number(state.blocked()),
  })
  return {
    published: (exchange, result) => published.inc({ exchange: exchange || 'default', result }),
    consumed: (queue, result) => consumed.inc({ queue, result }),
    asked: (command, result, seconds) => asked.observe({ command, result }, seconds),
  }
}
