import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

interface MetricOptions {
  name: string
  help: string
  labels?: readonly string[]
}

/** Metrics of a service. Names get the prefix `posthorn_` and end with their unit. */
export interface Metrics {
  /** `collect` is called before each scrape to add what is not counted yet. */
  counter(metric: MetricOptions & { collect?: (counter: Counter) => void }): Counter
  gauge(metric: MetricOptions & { collect?: () => number | Promise<number> }): Gauge
  histogram(metric: MetricOptions & { buckets?: number[] }): Histogram
  /** Returns the response of `/metrics`. */
  text(): Promise<string>
  readonly contentType: string
}

export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  const full = ({ name, help, labels = [] }: MetricOptions) => ({
    name: `posthorn_${name}`,
    help,
    labelNames: [...labels],
    registers: [registry],
  })
  return {
    counter: ({ collect, ...metric }) =>
      new Counter({
        ...full(metric),
        ...(collect && {
          collect(this: Counter) {
            collect(this)
          },
        }),
      }),
    gauge: ({ collect, ...metric }) =>
      new Gauge({
        ...full(metric),
        ...(collect && {
          async collect(this: Gauge) {
            this.set(await collect())
          },
        }),
      }),
    histogram: ({ buckets, ...metric }) =>
      new Histogram({ ...full(metric), ...(buckets && { buckets }) }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
