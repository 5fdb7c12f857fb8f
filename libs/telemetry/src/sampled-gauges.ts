import { settleWithin } from '@posthorn/flow'
import type { Gauge } from 'prom-client'

/**
 * Function that returns the value of a gauge before a scrape of the metrics. A gauge with labels is
 * set by the function itself.
 */
export type CollectGauge = (gauge: Gauge) => number | Promise<number> | void

/**
 * Maximum wait of a scrape for values from Postgres, which arrive within a few milliseconds while
 * Postgres works. A scrape responds within 100 ms also when Postgres does not.
 */
const maxCollectMs = 25
/**
 * Maximum age of a gauge's value in a scrape. An older value would hide that the present value is
 * unknown.
 */
const maxAgeMs = 120_000

interface Source {
  name: string
  gauge: Gauge
  collect: CollectGauge
  /**
   * True while the last collection of the gauge's value returned a promise. Other values have no
   * age.
   */
  isSampled: boolean
  /**
   * Collection of the gauge's value in progress. A slow collection continues over several scrapes.
   */
  running: Promise<void> | undefined
  /** Time of the last value of the gauge from a promise. */
  sampledAt: number
}

/** Gauges whose values are collected for each scrape, without delaying the scrape. */
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
   * Updates all gauges for a scrape, and `ages` by the label `metric`. A gauge without a value is
   * absent.
   */
  async collect(ages: Gauge): Promise<void> {
    const started = this.#sources.flatMap((source) => this.#start(source) ?? [])
    await settleWithin(Promise.all(started), maxCollectMs)
    for (const source of this.#sources) this.#describe(source, ages)
  }

  /** Starts a collection of a gauge's value, unless the previous collection still runs. */
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
 * Collects the value of a gauge. A failure must not end the scrape, so the failure becomes a
 * rejection.
 */
function collected({ collect, gauge }: Source): ReturnType<CollectGauge> {
  try {
    return collect(gauge)
  } catch (error) {
    return Promise.reject(error as Error)
  }
}
