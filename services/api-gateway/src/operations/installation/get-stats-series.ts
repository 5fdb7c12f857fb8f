import { operations } from '@posthorn/contracts/operations'
import { handle } from '../../http/handle.ts'
import { readSeries } from '../../store/installation/stats-series.ts'
import type { OperationDeps } from '../operation-deps.ts'
import { planSeries } from './plan-series.ts'

/** Counters of the installation over time, read from Postgres. */
export function onGetStatsSeries({ db }: Pick<OperationDeps, 'db'>) {
  return handle(operations.getStatsSeries, async ({ query: { keys: names, ...query } }) => {
    const period = planSeries(query, new Date())
    const keys = [...new Set(names.split(','))]
    const series = await readSeries(db, keys, period)
    return {
      from: new Date(period.from * 1_000).toISOString(),
      to: new Date(period.to * 1_000).toISOString(),
      step: period.step,
      series: [...series].map(([key, values]) => ({ key, values })),
    }
  })
}
