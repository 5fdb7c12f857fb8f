import { expect, test } from '@jest/globals'
import { release } from '@posthorn/config/release'
import { createMetrics } from './metrics.ts'

/** Lines of a metric in the text of a metrics scrape, without help and type. */
const linesOf = async (metrics: ReturnType<typeof createMetrics>, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(`posthorn_${name}{`))

test('gauge: a value that never comes does not delay the scrape, a late one is in the next', async () => {
  const metrics = createMetrics('test')
  const late = Promise.withResolvers<number>()
  let calls = 0
  const collect = () => {
    calls += 1
    return late.promise
  }
  metrics.gauge({ name: 'late', help: 'Late', collect })
  metrics.gauge({ name: 'immediate', help: 'Immediate', collect: () => 7 })
  expect(await linesOf(metrics, 'late')).toEqual([])
  expect(await linesOf(metrics, 'immediate')).toEqual(['posthorn_immediate{service="test"} 7'])
  expect(calls).toBe(1)
  late.resolve(5)
  expect(await linesOf(metrics, 'late')).toEqual(['posthorn_late{service="test"} 5'])
})

test('gauge: without a new value, has the last value and its age, for 2 minutes', async () => {
  let now = 0
  const metrics = createMetrics('test', { clock: () => now })
  const never = new Promise<number>(() => undefined)
  const results = [Promise.resolve(3), Promise.reject(new Error('no connection'))]
  metrics.gauge({ name: 'due', help: 'Due', collect: () => results.shift() ?? never })
  const age = () => linesOf(metrics, 'metric_age_seconds')
  const label = 'posthorn_metric_age_seconds{metric="posthorn_due",service="test"}'
  expect(await linesOf(metrics, 'due')).toEqual(['posthorn_due{service="test"} 3'])
  now = 20_000
  expect(await age()).toEqual([`${label} 20`])
  now = 120_000
  expect(await linesOf(metrics, 'due')).toEqual(['posthorn_due{service="test"} 3'])
  expect(await age()).toEqual([`${label} 120`])
  now += 1
  expect([...(await linesOf(metrics, 'due')), ...(await age())]).toEqual([])
})

test('gauge: a failed first collection leaves the metric absent, a value without waiting has no age', async () => {
  const metrics = createMetrics('test')
  const results = [() => Promise.reject(new Error('no connection')), () => 4]
  metrics.gauge({ name: 'due', help: 'Due', collect: () => results.shift()?.() ?? 0 })
  expect(await linesOf(metrics, 'due')).toEqual([])
  expect(await linesOf(metrics, 'due')).toEqual(['posthorn_due{service="test"} 4'])
  expect(await linesOf(metrics, 'metric_age_seconds')).toEqual([])
})

test('gauge: a function that throws leaves the metric absent, the scrape has all others', async () => {
  const metrics = createMetrics('test')
  const fail = () => {
    throw new Error('no connection')
  }
  metrics.gauge({ name: 'due', help: 'Due', collect: fail })
  metrics.gauge({ name: 'immediate', help: 'Immediate', collect: () => 7 })
  expect(await linesOf(metrics, 'due')).toEqual([])
  expect(await linesOf(metrics, 'immediate')).toEqual(['posthorn_immediate{service="test"} 7'])
})

test('gauge: with labels, the function sets the values', async () => {
  const metrics = createMetrics('test')
  metrics.gauge({
    name: 'states',
    help: 'States',
    labels: ['state'],
    collect: (gauge) => gauge.set({ state: 'idle' }, 2),
  })
  expect(await linesOf(metrics, 'states')).toEqual([
    'posthorn_states{state="idle",service="test"} 2',
  ])
})

test('build_info: has version and revision of the release as labels', async () => {
  expect(await linesOf(createMetrics('test'), 'build_info')).toEqual([
    `posthorn_build_info{version="${release.version}",revision="${release.revision}",service="test"} 1`,
  ])
})
