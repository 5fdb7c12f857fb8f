import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

interface Named {
  name: string
  help: string
  labels?: readonly string[]
}

/** A registry of one service: names start with `posthorn_`, units last, as Prometheus wants them. */
export interface Metrics {
  /** `collect` adds what has not been counted yet, before anybody reads it. */
  counter(metric: Named & { collect?: (counter: Counter) => void }): Counter
  gauge(metric: Named & { collect?: () => number | Promise<number> }): Gauge
  histogram(metric: Named & { buckets?: number[] }): Histogram
  /** The text of `/metrics`. */
  text(): Promise<string>
  readonly contentType: string
}

export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  const full = ({ name, help, labels = [] }: Named) => ({
    name: `posthorn_${name}`,
    help,
    labelNames: [...labels],
    registers: [registry],
  })
  return {
    counter: ({ collect, ...metric }) =>
      new Counter({
        ...full(metric),
        ...(collect
          ? {
              collect(this: Counter) {
                collect(this)
              },
            }
          : {}),
      }),
    gauge: ({ collect, ...metric }) =>
      new Gauge({
        ...full(metric),
        ...(collect
          ? {
              async collect(this: Gauge) {
                this.set(await collect())
              },
            }
          : {}),
      }),
    histogram: ({ buckets, ...metric }) =>
      new Histogram({ ...full(metric), ...(buckets ? { buckets } : {}) }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
