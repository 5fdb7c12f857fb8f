import { expect, test } from '@jest/globals'
import { planSeries } from './plan-series.ts'

const now = new Date('2026-03-10T12:00:30Z')
const plan = (query: Parameters<typeof planSeries>[0]) => {
  const { from, to, step } = planSeries(query, now)
  return { from: isoOf(from), to: isoOf(to), step }
}
const isoOf = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 16)

test('planSeries: without parameters, covers the last hour in minutes', () => {
  expect(plan({})).toEqual({ from: '2026-03-10T11:00', to: '2026-03-10T12:01', step: 60 })
})

test('planSeries: rounds the period outwards to the step', () => {
  const period = { from: '2026-03-09T11:59:00Z', to: '2026-03-10T09:00:01Z', step: 3_600 }
  expect(plan(period)).toEqual({ from: '2026-03-09T11:00', to: '2026-03-10T10:00', step: 3_600 })
  expect(plan({ step: 86_400 })).toMatchObject({ from: '2026-03-09T00:00', to: '2026-03-11T00:00' })
})

test('planSeries: the end is at most the present time', () => {
  expect(plan({ to: '2027-01-01T00:00:00Z' })).toEqual(plan({}))
})

test('planSeries: accepts 8 days, and the steps that the message of an error names', () => {
  const from = '2026-03-02T12:00:00Z'
  expect(() => plan({ from })).toThrow(/"step" must be at least 480 seconds/i)
  expect(plan({ from, step: 480 })).toMatchObject({ step: 480 })
})

test.each([
  ['an empty period', { from: '2026-03-10T12:00:00Z', to: '2026-03-10T12:00:00Z' }, /from/],
  ['a period in the future', { from: '2026-03-11T12:00:00Z' }, /from/],
  ['a period before the stored counters', { from: '2026-02-20T12:00:00Z', step: 3_600 }, /8 days/],
  ['a step of a fraction of a minute', { step: 90 }, /multiple of 60/],
])('planSeries: rejects %s', (_name, query, message) => {
  expect(() => plan(query)).toThrow(message)
})
