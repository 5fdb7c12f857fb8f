import type { GetStatsResult } from '@posthorn/client'
import { getStats } from '@posthorn/client/operations'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

export type { GetStatsResult } from '@posthorn/client'

/** Interval at which the figures of the dashboard are loaded. */
const figuresMs = 5_000
/** Interval at which the curves and findings are loaded. The finest step of a curve is a minute. */
const curvesMs = 60_000
const daySeconds = 86_400

/** Figures of the whole installation, with the counters of the last 24 hours. */
export function useStats(): Load<GetStatsResult> {
  return useLoad(['stats'], () => getStats(calls.api, { seconds: daySeconds }), {
    everyMs: figuresMs,
  })
}

/** Counters by time step. */
export interface Series {
  from: string
  /** Seconds between two values. */
  step: number
  series: { key: string; values: number[] }[]
}

const seriesStep = 900

/** Counters of the last 24 hours in steps of 15 minutes. */
export function useSeries(keys: readonly string[]): Load<Series> {
  const load = () => {
    const to = Math.ceil(Date.now() / 1000 / seriesStep) * seriesStep
    return calls.forwarded<Series>('GET /admin/api/stats/series', {
      keys: keys.join(','),
      from: new Date((to - daySeconds) * 1000).toISOString(),
      to: new Date(to * 1000).toISOString(),
      step: seriesStep,
    })
  }
  return useLoad(['series', keys], load, { everyMs: curvesMs })
}

/** Problem of the installation that an operator should solve. */
export interface Finding {
  id: string
  level: 'error' | 'warning' | 'info'
  title: string
  detail: string
  remedy: string
  /** Number of affected entries. */
  count?: number
  /** Time of the oldest affected entry, or of the start of the condition. */
  since?: string
}

/** Problems that the service has found. */
export function useFindings(): Load<{ findings: Finding[] }> {
  return useLoad(['findings'], () => calls.forwarded('GET /admin/api/findings'), {
    everyMs: curvesMs,
  })
}
