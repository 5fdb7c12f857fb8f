import { describe, expect, test } from '@jest/globals'
import { MemoryGuard, memoryLimitBytes } from './memory-guard.ts'

const MB = 1_000_000

function createGuard() {
  const lines: string[] = []
  const states: number[] = []
  const memory = { usedBytes: 200 * MB }
  const log = (_fields: object, message: string) => void lines.push(message)
  const guard = new MemoryGuard({
    log: { info: log, warn: log } as never,
    onChange: (refusing) => void states.push(refusing),
    limitBytes: 400 * MB,
    usedBytes: () => memory.usedBytes,
  })
  return { guard, memory, lines, states }
}

describe('MemoryGuard', () => {
  test('returns the accounts there is memory for, with that of waiting ones reserved', () => {
    const { guard } = createGuard()
    expect(guard.check({ accounts: 0, waiting: 0 })).toBe(1_400)
    expect(guard.check({ accounts: 1_000, waiting: 1_000 })).toBe(400)
    expect(guard.refusing).toBe(false)
  })

  test('refuses at 85 % and accepts again below 75 %, each logged once', () => {
    const { guard, memory, lines, states } = createGuard()
    memory.usedBytes = 340 * MB
    expect(guard.check({ accounts: 1_400, waiting: 0 })).toBe(0)
    memory.usedBytes = 301 * MB
    expect(guard.check({ accounts: 1_400, waiting: 0 })).toBe(0)
    expect(guard.refusing).toBe(true)
    memory.usedBytes = 299 * MB
    expect(guard.check({ accounts: 1_400, waiting: 0 })).toBe(410)
    expect(states).toEqual([0, 1, 0])
    expect(lines).toEqual([
      'memory limit reached, refusing further shards',
      'memory available, accepting shards again',
    ])
  })
})

test('memoryLimitBytes: at most the limit of the heap', () => {
  expect(memoryLimitBytes()).toBeGreaterThan(0)
  expect(memoryLimitBytes()).toBeLessThan(1e13)
})
