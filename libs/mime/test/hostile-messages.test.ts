import { describe, expect, test } from '@jest/globals'
import { fastestBlockedMs, hostileMessages } from '@posthorn/testkit'
import { readingsOf } from './readings.ts'

/**
 * Maximum CPU time for which reading a message blocks the event loop. The slowest messages take 125
 * ms; slower machines may need more, and code with superlinear time takes seconds.
 */
const maxMs = 400

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
        const fastest = await fastestBlockedMs(read, maxMs)
        if (fastest > maxMs) slow.push(`${name} took ${Math.round(fastest)} ms`)
      }
      expect(slow).toEqual([])
    },
  )
})
