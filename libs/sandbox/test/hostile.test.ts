import { afterAll, expect, test } from '@jest/globals'
import { hostileFunctions } from './hostile-functions.ts'
import { Sandbox } from '../src/index.ts'

const sandbox = new Sandbox({ cpuMs: 50, killMs: 250, outputChars: 1024 * 1024 })
afterAll(() => sandbox[Symbol.asyncDispose]())

const input = {
  payload: JSON.stringify({
    event: 'messageNew',
    data: { n: 1 },
    eventId: 'e1',
    _route: { id: 'r1' },
  }),
  env: '{}',
}

/** What a function sees that comes after; the names are what the others leave behind where they can. */
const control = {
  filter: `
    for (const key in {}) return false
    return payload.event === 'messageNew' && payload.eventId === 'e1' && payload._route.id === 'r1' &&
      [1, 2].map((n) => n + 1).join() === '2,3' && 'abc'.startsWith('b') === false && 'abc'.slice(1) === 'bc' &&
      Date.now() > 1e12 && ({}).polluted === undefined && typeof anything === 'undefined' &&
      Object.keys(globalThis).length === 0 && Object.isExtensible(Object.prototype)`,
  map: 'return { ...payload, made: JSON.stringify([...new Set([1, 1])]) }',
}
const controlled = { event: 'messageNew', data: { n: 1 }, made: '[1]' }

test('there are more than a hundred of them', () => {
  expect(new Set(hostileFunctions).size).toBeGreaterThan(100)
})

test.each(hostileFunctions)('%s', async (source) => {
  const [filtered, mapped, judged, checked] = await Promise.all([
    sandbox.apply({ filter: source, map: null }, input),
    sandbox.apply({ filter: null, map: source }, input),
    sandbox.matchStatically(source, 'messageNew'),
    sandbox.check(source),
  ])

  // Decided, and nothing but what a filter or a map may say.
  expect(filtered.body).toBeUndefined()
  expect(filtered.applies && filtered.problems.length > 0).toBe(false)
  expect(mapped.applies).toBe(true)
  if (mapped.body !== undefined) {
    const body: unknown = JSON.parse(mapped.body)
    expect(mapped.problems).toEqual([])
    expect(Object.keys(Object(body))).not.toContain('eventId')
    expect(Object.keys(Object(body))).not.toContain('_route')
  }
  for (const { reason } of [...filtered.problems, ...mapped.problems]) {
    expect(reason.length).toBeGreaterThan(0)
    expect(reason.length).toBeLessThanOrEqual(500)
    expect(reason).not.toContain('\0')
    expect(reason).not.toContain('/')
  }
  expect(['always', 'never', 'depends']).toContain(judged)
  expect(checked === undefined || checked.length > 0).toBe(true)

  // Nobody who comes after notices, in whichever thread they are.
  for (const outcome of await Promise.all([1, 2, 3, 4].map(() => sandbox.apply(control, input)))) {
    expect(outcome.problems).toEqual([])
    expect(outcome.applies).toBe(true)
    expect(JSON.parse(outcome.body ?? 'null')).toEqual(controlled)
  }
})
