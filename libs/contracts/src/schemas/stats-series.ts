import { type Static, Type } from 'typebox'
import { Int, Strict, Text, Time } from './primitives.ts'

/** Number of days for which statistics counters of the installation are stored. */
export const seriesDays = 8
/** Maximum number of values per statistics counter in one response of the API. */
export const maxSeriesPoints = 1_500
/** Maximum number of statistics counters in one request to the API. */
export const maxSeriesKeys = 20

const key = '[\\w:.-]{1,100}'

export const StatsSeriesQuery = Strict({
  keys: Text(
    `Names of the counters, separated by commas, such as \`events:messageNew,submit:fail\`. The names are those in \`counters\` of \`GET /v1/stats\`. At most ${maxSeriesKeys}.`,
    { pattern: `^${key}(?:,${key}){0,${maxSeriesKeys - 1}}$` },
  ),
  from: Type.Optional(
    Time(
      `Start of the period (ISO 8601), rounded down to a multiple of \`step\`. At most ${seriesDays} days ago. Defaults to one hour before \`to\`, at least one \`step\`.`,
    ),
  ),
  to: Type.Optional(
    Time(
      'End of the period (ISO 8601), rounded up to a multiple of `step`. Now if absent or in the future.',
    ),
  ),
  step: Type.Optional(
    Int(
      `Duration that one value covers, in seconds: a multiple of 60, from one minute to one day. The period must have at most ${maxSeriesPoints} steps. Defaults to 60.`,
      { minimum: 60, maximum: 86_400, default: 60 },
    ),
  ),
})
export type StatsSeriesQuery = Static<typeof StatsSeriesQuery>

/** Statistics counters of the installation over time. */
export const StatsSeries = Type.Object({
  from: Time('Start of the first step (ISO 8601).'),
  to: Time('End of the last step (ISO 8601). The last step may be incomplete.'),
  step: Int('Duration that one value covers, in seconds.'),
  series: Type.Array(
    Type.Object({
      key: Text('Name of the counter.'),
      values: Type.Array(Type.Integer(), {
        description:
          'Sum of the counter in each step, oldest first. 0 for a step without counts, also if no such counter exists.',
      }),
    }),
    { description: 'One series for each requested counter, in the order of the request.' },
  ),
})
export type StatsSeries = Static<typeof StatsSeries>
