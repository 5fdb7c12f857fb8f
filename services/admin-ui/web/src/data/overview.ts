import type { GetStatsResult, GetStatsSeriesResult, ListFindingsResult } from '@posthorn/client'
import { getStats, getStatsSeries, listFindings } from '@posthorn/client/operations'
import { statsKey } from './cache-keys.ts'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

export type { GetStatsResult } from '@posthorn/client'
/** Values of counters over time, for the charts of the dashboard. */
export type StatsSeries = GetStatsSeriesResult
/** Problem of the installation, with its remedy. */
export type Finding = ListFindingsResult['findings'][number]

/**
 * Interval at which the dashboard loads its numbers, such as the number of accounts, while no live
 * updates arrive.
 */
const figuresMs = 5_000
/**
 * Interval at which the dashboard loads the findings and the values of its charts. The server
 * counts in minutes, so a shorter interval shows few newer values.
 */
const curvesMs = 60_000
const daySeconds = 86_400

/** Statistics of the whole installation, with the counters of the last 24 hours. */
export function useStats(): Load<GetStatsResult> {
  return useLoad(statsKey, () => getStats(calls.api, { seconds: daySeconds }), {
    everyMs: figuresMs,
    topic: 'figures',
  })
}

/** Seconds between two values in the charts of the dashboard. */
const seriesStep = 900

/**
 * Loads the values of counters in the last 24 hours for the charts of the dashboard, in steps of 15
 * minutes.
 */
export function useSeries(keys: readonly string[]): Load<StatsSeries> {
  const load = () => {
    const to = Math.ceil(Date.now() / 1000 / seriesStep) * seriesStep
    return getStatsSeries(calls.api, {
      keys: keys.join(','),
      from: new Date((to - daySeconds) * 1000).toISOString(),
      to: new Date(to * 1000).toISOString(),
      step: seriesStep,
    })
  }
  return useLoad(['series', keys], load, { everyMs: curvesMs })
}

/** Problems of the installation that api-gateway has found. */
export function useFindings(): Load<ListFindingsResult> {
  return useLoad(['findings'], () => listFindings(calls.api), {
    everyMs: curvesMs,
  })
}
