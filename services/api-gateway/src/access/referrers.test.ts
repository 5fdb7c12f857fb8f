import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { globMatches } from './referrers.ts'

/** CPU time of this process in milliseconds, which does not depend on the load of the machine. */
const cpuMs = () => process.cpuUsage().user / 1_000

test.each([
  ['https://a.example/*', 'https://a.example/x', true],
  ['https://a.example/*', 'https://a.example/', true],
  ['https://a.example/*', 'xhttps://a.example/', false],
  ['*.example/*', 'https://a.example/x', true],
  ['a*a', 'a', false],
  ['a*b*c', 'aXbYc', true],
  ['a*b*c', 'aXcYb', false],
  ['a.c', 'abc', false],
  ['A', 'a', false],
  ['*', '', true],
])('globMatches: %s matches %s, %s', (pattern, text, expected) => {
  expect(globMatches(pattern, text)).toBe(expected)
})

const letters = fc.constantFrom('a', 'b')
const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 })

test('globMatches: random patterns, agrees with a regular expression', () => {
  fc.assert(
    fc.property(pattern, fc.string({ unit: letters, maxLength: 8 }), (pattern, text) => {
      const same = new RegExp(`^${pattern.replaceAll('*', '.*')}$`)
      expect(globMatches(pattern, text)).toBe(same.test(text))
    }),
    { numRuns: 2_000 },
  )
})

test('globMatches: a pattern that matches another one, matches everything it matches', () => {
  fc.assert(
    fc.property(
      pattern,
      pattern,
      fc.string({ unit: letters, maxLength: 8 }),
      (outer, inner, text) => {
        if (globMatches(outer, inner) && globMatches(inner, text))
          expect(globMatches(outer, text)).toBe(true)
      },
    ),
    { numRuns: 5_000 },
  )
})

test('globMatches: hostile pattern and long text, terminates', () => {
  const started = cpuMs()
  globMatches('*a'.repeat(1_000), 'a'.repeat(999) + 'b'.repeat(15_000))
  expect(cpuMs() - started).toBeLessThan(2_000)
})
