import { expect, test } from '@jest/globals'
import { defaultProviderLimits } from './provider-limits.ts'
import { readProviderLimits } from './provider-limits-config.ts'

const read = (input: unknown) => readProviderLimits({ SVC_PROVIDER_LIMITS: JSON.stringify(input) })

test('readProviderLimits: published limits by default', () => {
  const { gmail, graph } = readProviderLimits({})
  expect(readProviderLimits({})).toEqual(defaultProviderLimits)
  expect(gmail).toMatchObject({ accountUnits: 6_000, applicationUnits: 1_200_000 })
  expect(gmail.costs).toMatchObject({ 'messages.get': 20, 'messages.send': 100, getProfile: 1 })
  expect(graph).toMatchObject({ workerConcurrency: 3, senderConcurrency: 1, accountUnits: 9_000 })
})

test('readProviderLimits: members override the published ones, costs one by one', () => {
  const { gmail, graph } = read({
    gmail: { quota: 'before2026', costs: { 'messages.get': 7 }, senderPercent: 50 },
    graph: { workerConcurrency: 2, costs: { $batch: 4 } },
  })
  expect(gmail).toMatchObject({ accountUnits: 15_000, senderPercent: 50, defaultCost: 5 })
  expect(gmail.costs).toMatchObject({ 'messages.get': 7, 'drafts.get': 5, 'messages.send': 100 })
  expect(graph).toMatchObject({ workerConcurrency: 2, senderConcurrency: 1, costs: { $batch: 4 } })
})

test.each([
  [{ yahoo: {} }, 'unknown provider "yahoo"'],
  [{ gmail: [] }, 'gmail must be an object'],
  [{ gmail: { windowMs: 1 } }, 'unknown member "gmail.windowMs"'],
  [{ gmail: { quota: 'since1999' } }, 'gmail.quota must be one of since2026, before2026'],
  [{ graph: { quota: 'since2026' } }, 'graph.quota must be one of '],
  [{ gmail: { accountUnits: 0 } }, 'gmail.accountUnits must be a whole number between 1000 and'],
  [{ gmail: { accountUnits: 1.5 } }, 'gmail.accountUnits must be a whole number'],
  [
    { gmail: { senderPercent: 100 } },
    'gmail.senderPercent must be a whole number between 1 and 99',
  ],
  [{ gmail: { workerConcurrency: '4' } }, 'gmail.workerConcurrency must be a whole number'],
  [{ gmail: { costs: 5 } }, 'gmail.costs must be an object'],
  [{ gmail: { costs: { 'messages.get': -1 } } }, 'gmail.costs.messages.get must be'],
])('readProviderLimits: %j, throws with the name of the variable', (input, reason) =>
  expect(() => read(input)).toThrow(`SVC_PROVIDER_LIMITS: ${reason}`),
)
