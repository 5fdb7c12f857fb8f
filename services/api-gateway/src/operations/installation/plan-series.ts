import { fieldError } from '@posthorn/contracts/describe-error'
import {
  maxSeriesPoints,
  seriesDays,
  type StatsSeriesQuery,
} from '@posthorn/contracts/schemas/stats-series'
import { validationError } from '@posthorn/contracts/validate'
import type { SeriesPeriod } from '../../store/installation/stats-series.ts'

/** Default duration of a series of statistics counters. */
const defaultSeconds = 3_600
/**
 * Tolerance for the earliest start of a series of statistics counters. Covers a different clock of
 * the client, and the time until its request arrives.
 */
const toleranceSeconds = 3_600

/**
 * Computes the period of a series of counters, rounded outwards to multiples of the step.
 * @throws AppError `invalid` for a period that is empty, too old or too long for the step
 */
export function planSeries(query: Omit<StatsSeriesQuery, 'keys'>, now: Date): SeriesPeriod {
  const { step = 60 } = query
  if (step % 60 !== 0) throw validationError([fieldError('step', 'must be a multiple of 60')])
  const nowSeconds = now.getTime() / 1_000
  const end = Math.min(secondsOf(query.to) ?? nowSeconds, nowSeconds)
  const start = secondsOf(query.from) ?? end - Math.max(defaultSeconds, step)
  if (start >= end)
    throw validationError([fieldError('from', 'must be earlier than "to" and the present time')])
  if (start < nowSeconds - seriesDays * 86_400 - toleranceSeconds)
    throw validationError([
      fieldError(
        'from',
        `must be at most ${seriesDays} days ago, the time for which counters are stored`,
      ),
    ])
  const from = Math.floor(start / step) * step
  const to = Math.ceil(end / step) * step
  if ((to - from) / step > maxSeriesPoints)
    throw validationError([
      fieldError('step', `must be at least ${minStep(end - start)} seconds for this period`),
    ])
  return { from, to, step }
}

/**
 * Time in a query parameter of a request for a series of counters, in seconds since 1970. Undefined
 * if the parameter is absent.
 */
function secondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time) / 1_000
}

/**
 * Shortest step with which a series of counters has few enough values, however its period is
 * rounded.
 */
function minStep(seconds: number): number {
  return Math.ceil(seconds / (maxSeriesPoints - 2) / 60) * 60
}
