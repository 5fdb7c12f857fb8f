import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import {
  stateAfter,
  submissionTransitions,
  type SubmissionState,
  type SubmissionTrigger,
  transition,
} from './submission-states.ts'

const triggers = (state: SubmissionState) =>
  Object.keys(submissionTransitions[state]) as SubmissionTrigger[]
const states = Object.keys(submissionTransitions) as SubmissionState[]

test('transition: a final state allows no trigger', () => {
  expect(['sent', 'failed'].map((state) => triggers(state as SubmissionState))).toEqual([[], []])
  expect(() => transition('sent', 'retry')).toThrow('does not allow retry')
})

test('stateAfter: a leased row is stored as queued', () => {
  expect([stateAfter('queued', 'claim'), stateAfter('leased', 'handOver')]).toEqual([
    'queued',
    'queued',
  ])
  expect(stateAfter('leased', 'accept')).toBe('sent')
})

test.each([
  ['README.md', '../../README.md'],
  ['doc comment', './submission-states.ts'],
])('submissionTransitions: equals the table in the %s', async (_name, path) => {
  const text = await readFile(join(import.meta.dirname, path), 'utf8')
  const row = /^(?: \*)? *\| *`?(\w+)`? *\| *`?(\w+)`? *\| *`?(\w+)`? *\|/gm
  const documented = [...text.matchAll(row)]
    .map(([, state = '', trigger = '', next = '']) => `${state} ${trigger} ${next}`)
    .filter((line) => states.includes(line.split(' ', 1)[0] as SubmissionState))
  const coded = states.flatMap((state) =>
    triggers(state).map((trigger) => `${state} ${trigger} ${transition(state, trigger)}`),
  )
  expect(documented.toSorted()).toEqual(coded.toSorted())
})
