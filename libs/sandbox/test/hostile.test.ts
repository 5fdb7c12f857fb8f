import { afterAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { hostileFunctions } from './hostile-functions.ts'
import { Sandbox } from '../src/index.ts'

const sandbox = new Sandbox({ cpuMs: 50, killMs: 500, outputChars: 1024 * 1024 })
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

/**
 * Filter and map functions of another user. They detect the traces that hostile functions would
 * leave in the sandbox.
 */
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

/**
 * Repeats sandbox calls whose worker thread did not start: on a busy machine, a start may take more
 * than 20 s.
 */
async function whenStarted<T>(calls: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await calls()
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error
    }
}

test('hostileFunctions: more than 100 distinct ones', () => {
  expect(new Set(hostileFunctions).size).toBeGreaterThan(100)
})

test.each(hostileFunctions)('Sandbox: %s', async (source) => {
  const [filtered, mapped, matched, checked] = await whenStarted(() =>
    Promise.all([
      sandbox.apply({ filter: source, map: null }, input),
      sandbox.apply({ filter: null, map: source }, input),
      sandbox.matchStatically(source, 'messageNew'),
      sandbox.check(source),
    ]),
  )

  // The sandbox result of a hostile function has only values that a filter or a map may have.
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
  expect(['always', 'never', 'depends']).toContain(matched)
  expect(checked === undefined || checked.length > 0).toBe(true)

  // Later sandbox calls are unaffected in every worker thread.
  const controls = await whenStarted(() =>
    Promise.all([1, 2, 3, 4].map(() => sandbox.apply(control, input))),
  )
  for (const result of controls) {
    expect(result.problems).toEqual([])
    expect(result.applies).toBe(true)
    expect(JSON.parse(result.body ?? 'null')).toEqual(controlled)
  }
})
