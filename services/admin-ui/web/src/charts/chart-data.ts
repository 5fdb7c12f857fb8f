/** Label and values of one line in a chart. */
export interface Curve {
  label: string
  values: readonly number[]
}

/** Times (seconds since 1970) and values of a chart, in the form of the library uPlot. */
export function chartData(
  from: string,
  step: number,
  curves: readonly Curve[],
): [number[], ...number[][]] {
  const start = Date.parse(from) / 1000
  const length = Math.max(0, ...curves.map(({ values }) => values.length))
  const times = Array.from({ length }, (_, index) => start + index * step)
  return [times, ...curves.map(({ values }) => times.map((_, index) => values[index] ?? 0))]
}

/**
 * Sentence with the sum and the maximum of each line of a chart, for readers who do not see the
 * chart.
 */
export function describeCurves(curves: readonly Curve[]): string {
  return curves
    .map(({ label, values }) => {
      const sum = values.reduce((total, value) => total + value, 0)
      const maximum = Math.max(0, ...values)
      return `${label}: ${sum.toLocaleString('en')} in all, at most ${maximum.toLocaleString('en')} per step`
    })
    .join('. ')
}
