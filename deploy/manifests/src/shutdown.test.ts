import { expect, test } from '@jest/globals'
import { graceFault } from './shutdown.ts'

// Mail proxy, whose shutdown timeout includes the drain time.
const config = { drainDelayMs: 5_000, drainMs: 30_000, shutdownTimeoutMs: 40_000 }

test('graceFault: drain time of a proxy, counts once', () => {
  expect(graceFault(config, { field: 'grace', seconds: 46 })).toBeUndefined()
  expect(graceFault(config, { field: 'grace', seconds: 45 })).toBe(
    'grace is 45 s, but drain and shutdown take 45 s',
  )
})
