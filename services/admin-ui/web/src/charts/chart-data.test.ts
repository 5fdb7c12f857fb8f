import { expect, test } from '@jest/globals'
import { chartData, describeCurves } from './chart-data.ts'

test('chartData: one time per step, shorter curves are filled with 0', () => {
  const curves = [
    { label: 'a', values: [1, 2] },
    { label: 'b', values: [3] },
  ]
  expect(chartData('1970-01-01T00:01:00Z', 60, curves)).toEqual([
    [60, 120],
    [1, 2],
    [3, 0],
  ])
  expect(chartData('1970-01-01T00:01:00Z', 60, [])).toEqual([[]])
})

test('describeCurves: sum and maximum of each curve', () => {
  expect(describeCurves([{ label: 'Calls', values: [1_000, 500] }])).toBe(
    'Calls: 1,500 in all, at most 1,000 per step',
  )
})
