import { describe, expect, test } from '@jest/globals'
import { blockedMs, hostileMessages } from '@posthorn/testkit'
import { readingsOf } from './readings.ts'

/**
 * Maximum CPU time for which reading a message blocks the event loop. The slowest messages take 125
 * ms; slower machines may need more, and code with superlinear time takes seconds.
 */
const maxMs = 400
/**
 * Compilation and garbage collection may slow down one run of reading a message, so the fastest run
 * decides.
 */
const maxRuns = 5

test('hostileMessages: contains 200 messages with different names', () => {
  expect(new Set(hostileMessages.map(({ name }) => name)).size).toBe(200)
  expect(hostileMessages).toHaveLength(200)
})

describe('no reading function blocks the event loop for long', () => {
  test.each(hostileMessages.map((message) => [message.name, message] as const))(
    '%s',
    async (_, message) => {
      const slow: string[] = []
      for (const [name, read] of Object.entries(readingsOf(message))) {
        let fastest = Number.POSITIVE_INFINITY
        for (let run = 0; run < maxRuns && fastest > maxMs; run++)
          fastest = Math.min(fastest, await blockedMs(read))
        if (fastest > maxMs) slow.push(`${name} took ${Math.round(fastest)} ms`)
      }
      expect(slow).toEqual([])
    },
  )
})
