import { release } from '@posthorn/config/release'
import { type CollectGauge, SampledGauges } from './sampled-gauges.ts'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export type { Gauge }

interface MetricOptions {
  name: string
  help: string
  labels?: readonly string[]
}

/** Metrics of a service. The names of metrics get the prefix `posthorn_` and end with a unit. */
export interface Metrics {
  /**
   * Registers a counter. `collect` is called before each scrape of the metrics, and adds events
   * that were not counted before.
   */
  counter(metric: MetricOptions & { collect?: (counter: Counter) => void }): Counter
  /**
   * Registers a gauge. `collect` is called before each scrape of the metrics and may return a
   * promise, for which the scrape waits at most 25 ms. If the promise takes longer, the scrape
   * contains the previous value for up to 2 min, and its age as `posthorn_metric_age_seconds`.
   */
  gauge(metric: MetricOptions & { collect?: CollectGauge }): Gauge
  histogram(metric: MetricOptions & { buckets?: number[] }): Histogram
  /** Returns all metrics as text, for the response of `/metrics`. */
  text(): Promise<string>
  readonly contentType: string
}

/**
 * Interval at which the delay of the event loop is sampled for `nodejs_eventloop_lag_*`. The
 * samples include this interval. With an interval of 10 ms, sampling would take 0.6 % of a CPU core
 * in an idle process.
 */
const lagSampleMs = 100

export interface MetricsOptions {
  /** Clock in milliseconds by which the age of metric values is determined. */
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
