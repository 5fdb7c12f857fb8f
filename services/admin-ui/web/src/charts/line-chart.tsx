import { useEffect, useRef } from 'react'
import Plot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { chartData, type Curve, describeCurves } from './chart-data.ts'
import css from './charts.module.css'

export interface LineChartProps {
  label: string
  /** Time of the first value in the chart. */
  from: string
  /** Seconds between two values of the chart. */
  step: number
  curves: readonly Curve[]
}

const height = 176

/** Line chart of values over time, with up to three colors. */
export function LineChart({ label, from, step, curves }: LineChartProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const draw = () => drawChart(element, { from, step, curves })
    let plot = draw()
    const size = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    size.observe(element)
    const redraw = () => {
      plot.destroy()
      plot = draw()
    }
    // A drawn chart keeps its colors when the theme of the page changes, so the chart is drawn
    // again.
    const theme = new MutationObserver(redraw)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', redraw)
    return () => {
      size.disconnect()
      theme.disconnect()
      system.removeEventListener('change', redraw)
      plot.destroy()
    }
  }, [from, step, curves])
  return (
    <figure>
      <div ref={box} className={css['chart']} role="img" aria-label={chartText(label, curves)} />
      <ul className={css['legend']}>
        {curves.map((curve, index) => (
          <li key={curve.label}>
            <span className={css['swatch']} data-series={index + 1} />
            {curve.label}
          </li>
        ))}
      </ul>
    </figure>
  )
}

const chartText = (label: string, curves: readonly Curve[]) => `${label}. ${describeCurves(curves)}`

function drawChart(
  element: HTMLElement,
  { from, step, curves }: Omit<LineChartProps, 'label'>,
): Plot {
  const style = getComputedStyle(element)
  // A color variable of the stylesheet has a light and a dark value. The computed color of a new
  // element is the value for the current theme. With reduced motion, all elements have a short
  // transition: a second color of the same element would still be its first color.
  const color = (name: string) => {
    const probe = document.createElement('span')
    probe.style.color = `var(${name})`
    element.append(probe)
    const { color: value } = getComputedStyle(probe)
    probe.remove()
    return value
  }
  const axis = { stroke: color('--muted'), grid: { stroke: color('--line'), width: 1 } }
  const font = `12px ${style.fontFamily}`
  const options: Plot.Options = {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    axes: [
      { ...axis, font },
      { ...axis, font, size: 48 },
    ],
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
    series: [
      {},
      ...curves.map(({ label }, index) => ({
        label,
        stroke: color(`--series-${index + 1}`),
        width: 2,
        points: { show: false },
      })),
    ],
  }
  return new Plot(options, chartData(from, step, curves), element)
}
