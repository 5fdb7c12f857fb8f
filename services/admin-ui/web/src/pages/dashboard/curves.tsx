import { lazy, Suspense, useMemo } from 'react'
import { type Series, useSeries } from '../../data/overview.ts'
import { Panel } from '../../kit/content/panel.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { Skeleton } from '../../kit/states/skeleton.tsx'

const LineChart = lazy(async () => ({
  default: (await import('../../charts/line-chart.tsx')).LineChart,
}))

export interface CurvesProps {
  title: string
  /** Name of each curve, by the key of its counter. */
  keys: Readonly<Record<string, string>>
}

/** Curves of counters of the last 24 hours. */
export function Curves({ title, keys }: CurvesProps) {
  const load = useSeries(Object.keys(keys))
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
  series: Series
  names: CurvesProps['keys']
}

function Drawing({ title, series, names }: DrawingProps) {
  const curves = useMemo(
    () => series.series.map(({ key, values }) => ({ label: names[key] ?? key, values })),
    [series],
  )
  return (
    <Suspense fallback={<Skeleton lines={4} />}>
      <LineChart label={title} from={series.from} step={series.step} curves={curves} />
    </Suspense>
  )
}
