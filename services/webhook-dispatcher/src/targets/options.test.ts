import { expect, test } from '@jest/globals'
import { setImmediate as turn } from 'node:timers/promises'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { createSchedule, maxAttempts, targetOptions } from './options.ts'

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

test('targetOptions: lists paused targets, and reports changed settings once', async () => {
  let settings: Settings = { webhookTargets: [{ target: 'https://a.example', paused: true }] }
  const options = targetOptions(
    { get: async () => settings, invalidate: () => undefined },
    { concurrency: 4, retryBaseMs: 5_000 },
  )
  const changes: (readonly string[])[] = []
  options.onChange(async () => void changes.push(options.paused))
  await options.refresh()
  await options.refresh()
  expect(options.of('https://a.example/')).toEqual({ concurrency: 4, paused: true })
  settings = { webhookTargets: [{ target: 'https://a.example', paused: false }] }
  await options.refresh()
  expect(changes).toEqual([['https://a.example/'], []])
})

test('targetOptions.refresh: resumes a paused target only after the pause has been applied', async () => {
  let settings: Settings = { webhookTargets: [{ target: 'https://a.example', paused: true }] }
  const options = targetOptions(
    { get: async () => settings, invalidate: () => undefined },
    { concurrency: 4, retryBaseMs: 5_000 },
  )
  const applied = Promise.withResolvers<void>()
  options.onChange(() => applied.promise)
  const pausing = options.refresh()
  await turn()
  settings = {}
  const resuming = options.refresh()
  await turn()
  expect(options.paused).toEqual(['https://a.example/'])
  applied.resolve()
  await Promise.all([pausing, resuming])
  expect(options.paused).toEqual([])
})

const schedule = createSchedule(undefined, 5_000)

test('createSchedule: maximum delays start at 5 s and double', () => {
  const bounds = Array.from(
    { length: maxAttempts - 1 },
    (_, n) => schedule.delayMs(n + 1, () => 0) / 1000,
  )
  expect(bounds).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280])
})

test('createSchedule: jitter shortens a delay by up to 20 % and never lengthens it', () => {
  expect(schedule.delayMs(1, () => 1)).toBe(4_000)
  expect(schedule.delayMs(9, () => 1)).toBe(1_024_000)
  for (let n = 0; n < 10_000; n++) {
    const delay = schedule.delayMs(3)
    expect(delay).toBeGreaterThanOrEqual(16_000)
    expect(delay).toBeLessThanOrEqual(20_000)
  }
})

test('createSchedule: delays are uniformly distributed', () => {
  const count = 20_000
  let sum = 0
  for (let n = 0; n < count; n++) sum += schedule.delayMs(1)
  // 1 % of the mean retry delay; the standard error is 2 ms
  expect(Math.abs(sum / count - 4_500)).toBeLessThan(45)
})
