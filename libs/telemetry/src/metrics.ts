import { release } from '@posthorn/config/release'
import { type CollectGauge, SampledGauges } from './sampled-gauges.ts'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export type { Gauge }

interface MetricOptions {
  name: string
  help: string
  labels?: readonly string[]
}

/** Metrics of a service. Names get the prefix `posthorn_` and end with their unit. */
export interface Metrics {
  /**
   * Registers a counter. `collect` is called before each scrape to add the events that are not
   * counted yet.
   */
  counter(metric: MetricOptions & { collect?: (counter: Counter) => void }): Counter
  /**
   * Registers a gauge. `collect` is called before each scrape of the metrics, which waits up to 25
   * ms for a promise. Without a value by then, the scrape has the last value and
   * `posthorn_metric_age_seconds` its age, for up to 2 min.
   */
  gauge(metric: MetricOptions & { collect?: CollectGauge }): Gauge
  histogram(metric: MetricOptions & { buckets?: number[] }): Histogram
  /** Returns the response of `/metrics`, with all metrics as text. */
  text(): Promise<string>
  readonly contentType: string
}

/**
 * Interval of the event loop samples of `nodejs_eventloop_lag_*`. The samples include the interval.
 * A sample each 10 ms takes 0.6 % of a core in an idle process.
 */
const lagSampleMs = 100

export interface MetricsOptions {
  /** Clock in milliseconds, for the ages of sampled metric values. */
  clock?: () => number
}

/** Gauge with the constant value 1, whose labels name the running release. */
function registerBuildInfo(registry: Registry): void {
  new Gauge({
    name: 'posthorn_build_info',
    help: 'Version and revision of the running release, value is always 1',
    labelNames: ['version', 'revision'],
    registers: [registry],
  }).set({ ...release }, 1)
}

export function createMetrics(service: string, options: MetricsOptions = {}): Metrics {
  const { clock = () => performance.now() } = options
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs })
  registerBuildInfo(registry)
  const full = ({ name, help, labels = [] }: MetricOptions) => ({
    name: `posthorn_${name}`,
    help,
    labelNames: [...labels],
    registers: [registry],
  })
  const sampled = new SampledGauges(clock)
  const ages = new Gauge({
    ...full({
      name: 'metric_age_seconds',
      help: 'Age of the value of a metric that is read from Postgres',
      labels: ['metric'],
    }),
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
    gauge({ collect, ...metric }) {
      const gauge = new Gauge(full(metric))
      if (collect) sampled.add(metric.name, gauge, collect)
      return gauge
    },
    histogram: ({ buckets, ...metric }) =>
      new Histogram({ ...full(metric), ...(buckets && { buckets }) }),
    async text() {
      await sampled.collect(ages)
      return await registry.metrics()
    },
    contentType: registry.contentType,
  }
}
