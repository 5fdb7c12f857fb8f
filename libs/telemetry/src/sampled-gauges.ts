import { settleWithin } from '@posthorn/flow'
import type { Gauge } from 'prom-client'

/**
 * Function that is called before a scrape of the metrics and returns the value of a gauge. For a
 * gauge with labels, the function sets the values itself and returns nothing.
 */
export type CollectGauge = (gauge: Gauge) => number | Promise<number> | void

/**
 * Maximum time for which a scrape of the metrics waits for values from Postgres. Usually, the
 * values arrive within a few milliseconds. Because of this limit, a scrape takes less than 100 ms
 * even if Postgres does not respond.
 */
const maxCollectMs = 25
/**
 * Maximum age of a metric value that a scrape contains. Older values are left out, because they
 * would hide that the current value is unknown.
 */
const maxAgeMs = 120_000

interface Source {
  name: string
  gauge: Gauge
  collect: CollectGauge
  /**
   * True if the last call of the gauge's function `collect` returned a promise. Only values from
   * promises have an age.
   */
  isSampled: boolean
  /**
   * Promise of a call of the gauge's function `collect` that has not ended yet. A slow call may
   * last for several scrapes of the metrics.
   */
  running: Promise<void> | undefined
  /** Time at which the metric (gauge) last got a value from a promise. */
  sampledAt: number
}

/**
 * Gauges whose values are collected for each scrape of the metrics. A slow gauge does not delay the
 * scrape.
 */
export class SampledGauges {
  readonly #sources: Source[] = []
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
  }

  add(name: string, gauge: Gauge, collect: CollectGauge): void {
    const source = { name, gauge, collect, isSampled: false, running: undefined }
    this.#sources.push({ ...source, sampledAt: -Infinity })
  }

  /**
   * Updates all gauges for a scrape of the metrics. Sets the age of each value in `ages`, with the
   * name of the gauge as the label `metric`. A gauge without a current value is left out.
   */
  async collect(ages: Gauge): Promise<void> {
    const started = this.#sources.flatMap((source) => this.#start(source) ?? [])
    await settleWithin(Promise.all(started), maxCollectMs)
    for (const source of this.#sources) this.#describe(source, ages)
  }

  /**
   * Starts to collect the value of a metric (gauge), unless its previous collection is still
   * running.
   */
  #start(source: Source): Promise<void> | undefined {
    if (source.running) return undefined
    const { gauge } = source
    const value = collected(source)
    if (typeof value === 'number') gauge.set(value)
    source.isSampled = value instanceof Promise
    if (!(value instanceof Promise)) return undefined
    source.running = value
      .then((result) => {
        gauge.set(result)
        source.sampledAt = this.#clock()
      })
      .catch(() => undefined)
      .finally(() => (source.running = undefined))
    return source.running
  }

  #describe({ name, gauge, isSampled, sampledAt }: Source, ages: Gauge): void {
    const labels = { metric: `posthorn_${name}` }
    const ageMs = this.#clock() - sampledAt
    if (isSampled && ageMs <= maxAgeMs) return ages.set(labels, ageMs / 1_000)
    ages.remove(labels)
    if (isSampled) gauge.remove()
  }
}

/**
 * Collects the value of a metric (gauge). An exception is converted to a rejection, so that the
 * scrape of the metrics does not fail.
 */
function collected({ collect, gauge }: Source): ReturnType<CollectGauge> {
  try {
    return collect(gauge)
  } catch (error) {
    return Promise.reject(error as Error)
  }
}
