import { release } from '@posthorn/config/release'
import { settleWithin } from '@posthorn/flow'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export type { Gauge }

interface MetricOptions {
  name: string
  help: string
  labels?: readonly string[]
}

/** Value of a gauge before a scrape. A gauge with labels is set by the function itself. */
type CollectGauge = (gauge: Gauge) => number | Promise<number> | void

/** Metrics of a service. Names get the prefix `posthorn_` and end with their unit. */
export interface Metrics {
  /** `collect` is called before each scrape to add what is not counted yet. */
  counter(metric: MetricOptions & { collect?: (counter: Counter) => void }): Counter
  /**
   * `collect` is called before each scrape, which waits up to 500 ms for a promise. A later value
   * is in the next scrape. After a rejection the metric is absent.
   */
  gauge(metric: MetricOptions & { collect?: CollectGauge }): Gauge
  histogram(metric: MetricOptions & { buckets?: number[] }): Histogram
  /** Returns the response of `/metrics`. */
  text(): Promise<string>
  readonly contentType: string
}

/**
 * Interval of the samples of `nodejs_eventloop_lag_*`, which include it. A sample each 10 ms takes
 * 0.6 % of a core in an idle process.
 */
const lagSampleMs = 100

/** Maximum wait of a scrape for the value of a gauge, such as a count in a busy database. */
const maxCollectMs = 500

function boundedCollect(collect: CollectGauge) {
  let running: Promise<void> | undefined
  let hasValue = false
  return async function collectGauge(this: Gauge): Promise<void> {
    if (running === undefined) {
      const value = collect(this)
      if (typeof value === 'number') this.set(value)
      if (!(value instanceof Promise)) return
      running = value
        .then((result) => {
          this.set(result)
          hasValue = true
        })
        .catch(() => {
          hasValue = false
        })
        .finally(() => {
          running = undefined
        })
    }
    await settleWithin(running, maxCollectMs)
    if (!hasValue) this.remove()
  }
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

export function createMetrics(service: string): Metrics {
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
        ...(collect && { collect: boundedCollect(collect) }),
      }),
    histogram: ({ buckets, ...metric }) =>
      new Histogram({ ...full(metric), ...(buckets && { buckets }) }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
