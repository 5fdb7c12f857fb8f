import { settleWithin } from '@posthorn/flow'
import type { Gauge } from 'prom-client'

/** Value of a gauge before a scrape. A gauge with labels is set by the function itself. */
export type CollectGauge = (gauge: Gauge) => number | Promise<number> | void

/**
 * Maximum wait of a scrape for values from Postgres, which arrive within a few milliseconds while
 * Postgres works. A scrape responds within 100 ms also when Postgres does not.
 */
const maxCollectMs = 25
/** An older value would hide that the present value is unknown. */
const maxAgeMs = 120_000

interface Source {
  name: string
  gauge: Gauge
  collect: CollectGauge
  /** True while the last collection returned a promise. Other values have no age. */
  isSampled: boolean
  /** Collection in progress. A slow collection continues over several scrapes. */
  running: Promise<void> | undefined
  /** Time of the last value of a promise. */
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
   * Updates all gauges, and `ages` by the label `metric`. A gauge without a value is absent.
   */
  async collect(ages: Gauge): Promise<void> {
    const started = this.#sources.flatMap((source) => this.#start(source) ?? [])
    await settleWithin(Promise.all(started), maxCollectMs)
    for (const source of this.#sources) this.#describe(source, ages)
  }

  /** Starts a collection, unless the previous collection still runs. */
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

/** Value of a gauge. A failure must not end the scrape, so it becomes a rejection. */
function collected({ collect, gauge }: Source): ReturnType<CollectGauge> {
  try {
    return collect(gauge)
  } catch (error) {
    return Promise.reject(error as Error)
  }
}
