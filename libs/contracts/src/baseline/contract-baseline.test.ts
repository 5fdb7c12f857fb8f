import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import { baselineFile, buildBaseline, formatBaseline, readBaseline } from './contract-baseline.ts'
import { stripProse } from './strip-prose.ts'

// A failure means that a client, a service or a stored setting sees another contract than before.
// If that is intended, record the new contract with `node libs/contracts/src/baseline/write.ts` and
// describe the change in the changelog.

const committed = await readBaseline()
const current = buildBaseline()

test('contract baseline: no contract is added or removed without recording it', () => {
  expect(Object.keys(current)).toEqual(Object.keys(committed))
})

test.each(Object.keys(committed))('contract baseline: %s is unchanged except for prose', (name) => {
  expect(current[name]).toEqual(committed[name])
})

test('contract baseline: the committed file is formatted as the command writes it', async () => {
  expect(await readFile(baselineFile, 'utf8')).toBe(formatBaseline(committed))
})

test('stripProse: removes prose, keeps members and values that are named like prose', () => {
  const contract = {
    description: 'Text.',
    properties: { summary: { type: 'string', title: 'Text', const: { description: 'value' } } },
    examples: { 'a-name': { summary: 'A name', value: { title: 'value' } } },
    headers: { description: { schema: { type: 'integer' }, description: 'Text.' } },
  }
  expect(stripProse(contract)).toEqual({
    properties: { summary: { type: 'string', const: { description: 'value' } } },
    examples: [{ value: { title: 'value' } }],
    headers: { description: { schema: { type: 'integer' } } },
  })
})
