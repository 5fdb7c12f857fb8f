import { expect, test } from '@jest/globals'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { targetOptions } from './options.ts'

async function optionsWith(settings: Settings) {
  const options = targetOptions(
    { get: async () => settings, invalidate: () => undefined },
    { concurrency: 4, retryBaseMs: 5_000 },
  )
  await options.refresh()
  return options
}

test('targetOptions: without settings, uses the defaults of the process', async () => {
  const options = await optionsWith({})
  expect(options.of('https://a.example/')).toEqual({ concurrency: 4 })
})

test('targetOptions: settings of a single target override those of all', async () => {
  const options = await optionsWith({
    webhooksConcurrency: 8,
    webhooksRetrySchedule: [1, 2.5],
    webhookTargets: [
      { target: 'https://a.example/hook', concurrency: 1 },
      { target: 'https://b.example', rate: 5, retrySchedule: [] },
    ],
  })
  expect(options.of('https://c.example/')).toEqual({ concurrency: 8, waitsMs: [1_000, 2_500] })
  expect(options.of('https://a.example/hook')).toEqual({ concurrency: 1, waitsMs: [1_000, 2_500] })
  expect(options.of('https://b.example/')).toEqual({ concurrency: 8, rate: 5, waitsMs: [] })
})
