import { lazy, Suspense, useMemo } from 'react'
import type { Load } from '../../data/load-state.ts'
import type { StatsSeries } from '../../data/overview.ts'
import { Panel } from '../../kit/content/panel.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import css from './dashboard.module.css'

const LineChart = lazy(async () => ({
  default: (await import('../../charts/line-chart.tsx')).LineChart,
}))

export interface CurvesProps {
  title: string
  /** Names of the chart's lines, by the keys of their counters. */
  keys: Readonly<Record<string, string>>
  load: Load<StatsSeries>
}

/** Panel with a chart of counters in the last 24 hours. */
export function Curves({ title, keys, load }: CurvesProps) {
  return (
    <Panel title={title}>
      <Loaded load={load}>
        {(series) => <Drawing title={title} series={series} names={keys} />}
      </Loaded>
    </Panel>
  )
}

interface DrawingProps {
  title: string
  series: StatsSeries
  names: CurvesProps['keys']
}

function Drawing({ title, series, names }: DrawingProps) {
  const curves = useMemo(
    () =>
      Object.entries(names).map(([key, label]) => ({
        label,
        values: series.series.find((each) => each.key === key)?.values ?? [],
      })),
    [series, names],
  )
  return (
    <div className={css['drawing']}>
      <Suspense>
        <LineChart label={title} from={series.from} step={series.step} curves={curves} />
      </Suspense>
    </div>
  )
}
