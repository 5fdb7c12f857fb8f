import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { transition, transitions } from './delivery-state.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Transitions of a webhook delivery in the code, as texts `state trigger next`. */
const declared = Object.entries(transitions).flatMap(([state, triggers]) =>
  Object.entries(triggers).map(([trigger, next]) => `${state} ${trigger} ${String(next)}`),
)

test('transition: a successful delivery', () => {
  expect(transition('due', 'claim')).toBe('claimed')
  expect(transition('claimed', 'begin')).toBe('attempting')
  expect(transition('attempting', 'accept')).toBe('delivered')
})

test('transition: every next state is a state', () => {
  for (const row of declared) expect(Object.keys(transitions)).toContain(row.split(' ')[2])
})

test('delivery-state.ts: the table of the doc comment equals the code', () => {
  const rows = read('delivery-state.ts').matchAll(/^ \* \| (\w+) \| (\w+) \| (\w+) \|/gm)
  const documented = Array.from(rows, ([, ...cells]) => cells.join(' ')).slice(1)
  expect(documented).toEqual(declared)
})

test('README.md: the table and the diagram of states equal the code', () => {
  const readme = read('../../README.md')
  const rows = readme.matchAll(/^\| `(\w+)` \| `(\w+)`[^|]*\| `(\w+)` \|/gm)
  expect(Array.from(rows, ([, ...cells]) => cells.join(' '))).toEqual(declared)
  const edges = readme.matchAll(/^ {2}(\w+) --> (\w+): (.+)$/gm)
  const drawn = Array.from(edges).flatMap(([, state, next, triggers = '']) =>
    triggers.split(', ').map((trigger) => `${state} ${trigger} ${next}`),
  )
  expect(drawn.sort()).toEqual(declared.toSorted())
})
