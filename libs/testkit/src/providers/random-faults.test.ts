import { expect, test } from '@jest/globals'
import { type FaultPlan, RandomFaults } from './random-faults.ts'
import type { ProviderRequest } from './requests.ts'
import { formFaults } from './response-faults.ts'

const plan: FaultPlan = { kinds: [...formFaults, 'reset'], probability: 0.5, repeats: 3 }
const paths = Array.from({ length: 8 }, (_, at) => `/messages/${at}`)

function requestOf(path: string): ProviderRequest {
  const sent = { params: {}, query: new URLSearchParams(), headers: {}, raw: Buffer.alloc(0) }
  const { signal } = new AbortController()
  const closed = Promise.resolve()
  return { operation: 'get', method: 'GET', path, ...sent, body: undefined, at: 0, signal, closed }
}

/** Descriptions of the faults in a provider fake's responses to requests for the listed paths. */
function breakAll(faults: RandomFaults, requests: readonly string[]): (string | undefined)[] {
  const bytes = Buffer.from('{"id":"a","labels":["b"]}')
  const response = { status: 200, contentType: 'application/json', headers: {}, bytes }
  return requests.map((path) => {
    const { length } = faults.broken
    const action = faults.apply(requestOf(path))
    if (action?.kind === 'alter') action.alter(response)
    return faults.broken[length]
  })
}

test('RandomFaults: equal seeds break the responses to a path equally, in any order of paths', () => {
  const [one, other, third] = [7, 7, 8].map((seed) => new RandomFaults(seed))
  const [inOrder, inReverse, ofOtherSeed] = [[], [], []] as (string | undefined)[][]
  for (let round = 0; round < 4; round++) {
    for (const faults of [one, other, third]) faults?.start(plan)
    for (let repeat = 0; repeat < 3; repeat++) {
      if (one) inOrder?.push(...breakAll(one, paths))
      if (other) inReverse?.push(...breakAll(other, paths.toReversed()).toReversed())
      if (third) ofOtherSeed?.push(...breakAll(third, paths))
    }
  }
  expect(inReverse).toEqual(inOrder)
  expect(ofOtherSeed).not.toEqual(inOrder)
  expect(new Set(inOrder).size).toBeGreaterThan(10)
})

test('RandomFaults: breaks as many responses to a path, and of all paths, as the plan permits', () => {
  const faults = new RandomFaults(1)
  expect(breakAll(faults, paths)).toEqual(paths.map(() => undefined))
  faults.start({ kinds: ['empty'], probability: 1, repeats: 2 })
  breakAll(faults, [...paths, ...paths, ...paths])
  expect(faults.broken).toHaveLength(2 * paths.length)
  faults.start({ kinds: ['empty'], probability: 1, repeats: 2, total: 3 })
  breakAll(faults, [...paths, ...paths])
  expect(faults.broken).toHaveLength(3)
  faults.stop()
  breakAll(faults, paths)
  expect(faults.broken).toHaveLength(3)
})
