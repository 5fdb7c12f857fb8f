import { describe, expect, test } from '@jest/globals'
import type { AccountLoad } from './memory-budget.ts'
import { MemoryGuard } from './memory-guard.ts'
import { processMemories } from './process-memory.ts'

const MB = 1_000_000

/**
 * Memory guard with a limit of 1,000 MB, of which 750 MB are planned. The process uses 150 MB
 * without accounts. 100 kB are planned per account.
 */
function createGuard() {
  const lines: string[] = []
  const states: number[] = []
  const memory = { usedBytes: 150 * MB, heapBytes: 50 * MB }
  const log = (_fields: object, message: string) => void lines.push(message)
  const guard = new MemoryGuard({
    log: { info: log, warn: log } as never,
    onChange: (refusing) => void states.push(refusing),
    memories: [
      {
        name: 'resident',
        limitBytes: 1_000 * MB,
        usedBytes: () => memory.usedBytes,
        plannedBytes: 100_000,
      },
      {
        name: 'heap',
        limitBytes: 600 * MB,
        usedBytes: () => memory.heapBytes,
        plannedBytes: 50_000,
      },
    ],
  })
  guard.check(loadOf({}))
  return { guard, memory, lines, states }
}

function loadOf(change: Partial<AccountLoad>): AccountLoad {
  const { loggedIn = 0, waiting = 0 } = change
  return { accounts: loggedIn + waiting, loggedIn, waiting, starting: waiting, ...change }
}

describe('MemoryGuard', () => {
  test('without accounts, claims a quarter of what there is memory for', () => {
    const { guard } = createGuard()
    expect(guard.check(loadOf({}))).toEqual({ capacity: 6_000, step: 1_500, excess: 0 })
  })

  test('accounts that start, claims others beside them: their logins may take long', () => {
    const { guard } = createGuard()
    const claims = { capacity: 4_500, step: 1_125, excess: 0 }
    expect(guard.check(loadOf({ waiting: 1_500 }))).toEqual(claims)
  })

  test('accounts that need more than planned while others wait, reports those without memory', () => {
    const { guard, memory } = createGuard()
    memory.usedBytes = 580 * MB
    // Bytes per account: 460 MB (430 MB of 1,000 accounts, 30 MB planned for 300 accounts), divided
    // among these 1,300 accounts and 1,000 waiting accounts that count as 200.
    const { capacity, excess } = guard.check(loadOf({ loggedIn: 1_000, waiting: 1_000 }))
    expect(guard.bytesPerAccount).toBeCloseTo(306_667, 0)
    expect({ capacity, excess }).toEqual({ capacity: 0, excess: 446 })
    expect(guard.check(loadOf({ loggedIn: 1_000, waiting: 400 })).excess).toBe(0)
    // After the outage of a mail server, its accounts wait for their logins while their memory is
    // still in use.
    const outage = loadOf({ loggedIn: 1_000, waiting: 1_000, starting: 0 })
    expect(guard.check(outage).excess).toBe(0)
  })

  test('thousands of waiting sessions, do not count as memory of the first accounts', () => {
    const { guard, memory } = createGuard()
    memory.usedBytes = 250 * MB // 20 kB for each of 5,000 accounts
    const { capacity } = guard.check(loadOf({ loggedIn: 10, waiting: 4_990 }))
    expect(guard.bytesPerAccount).toBe(100_000)
    expect(capacity).toBe(10)
  })

  test('idle accounts, plans with their memory after a read', () => {
    const { guard, memory } = createGuard()
    memory.usedBytes = 190 * MB // 40 kB per account
    expect(guard.check(loadOf({ loggedIn: 1_000 }))).toEqual({
      capacity: 5_000,
      step: 1_250,
      excess: 0,
    })
    expect(guard.bytesPerAccount).toBe(100_000)
  })

  test('accounts larger than planned, plans with their measured memory', () => {
    const { guard, memory } = createGuard()
    // The accounts use 230 kB each. Together with 300 accounts of the planned 100 kB, the average
    // is 200 kB.
    memory.usedBytes = 380 * MB
    expect(guard.check(loadOf({ loggedIn: 1_000 })).capacity).toBe(1_850)
    expect(guard.bytesPerAccount).toBe(200_000)
    // 500 waiting account sessions count as 100 accounts, so each account counts with 185,714
    // bytes.
    expect(guard.check(loadOf({ loggedIn: 1_000, waiting: 500 })).capacity).toBe(1_492)
  })

  test('a heap that is closer to its limit, plans with the heap', () => {
    const { guard, memory } = createGuard()
    memory.heapBytes = 425 * MB // heap: 375 kB per account, 300 kB with planned 50 kB; 25 MB free
    expect(guard.check(loadOf({ loggedIn: 1_000 })).capacity).toBe(83)
  })

  test('accounts that use what others measured, grows until the planned part is used', () => {
    const { guard, memory } = createGuard()
    const sizeBytes = 130_000
    let loggedIn = 0
    for (let n = 0; n < 100; n++) {
      loggedIn += guard.check(loadOf({ loggedIn })).step
      memory.usedBytes = 150 * MB + loggedIn * sizeBytes
      expect(memory.usedBytes).toBeLessThanOrEqual(900 * MB)
    }
    expect(guard.check(loadOf({ loggedIn })).capacity).toBe(0)
    // 4,615 accounts of 130 kB fill the planned part of the memory limit.
    expect(loggedIn).toBeGreaterThan(4_500)
    expect(loggedIn).toBeLessThan(4_700)
  })

  test('a burst of the first logins, does not count as the memory of few accounts', () => {
    const { guard, memory } = createGuard()
    memory.usedBytes = 250 * MB // 1 MB for each of 100 accounts
    expect(guard.check(loadOf({ loggedIn: 100, waiting: 900 })).capacity).toBeGreaterThan(0)
    expect(guard.refusing).toBe(false)
  })

  test('refuses at 75 % and accepts again below 65 %, each logged once', () => {
    const { guard, memory, lines, states } = createGuard()
    memory.usedBytes = 750 * MB
    expect(guard.check(loadOf({ loggedIn: 1_000 }))).toEqual({ capacity: 0, step: 0, excess: 0 })
    memory.usedBytes = 651 * MB
    expect(guard.check(loadOf({ loggedIn: 1_000 })).capacity).toBe(0)
    expect(guard.refusing).toBe(true)
    memory.usedBytes = 649 * MB
    expect(guard.check(loadOf({ loggedIn: 1_000 })).capacity).toBe(248)
    expect(states).toEqual([0, 1, 0])
    expect(lines).toEqual([
      'memory limit reached, refusing further shards',
      'memory available, accepting shards again',
    ])
  })
})

describe('MemoryGuard after the release of all accounts', () => {
  /**
   * Memory guard whose worker held 4,000 accounts of 130 kB. The worker released the accounts, but
   * the process did not free their memory.
   */
  function releaseAll() {
    const setup = createGuard()
    const { guard, memory } = setup
    memory.usedBytes = 670 * MB
    memory.heapBytes = 350 * MB
    guard.check(loadOf({ loggedIn: 4_000 }))
    return { ...setup, limits: guard.check(loadOf({})) }
  }

  test('claims as many accounts as at the start', () => {
    const { guard, limits } = releaseAll()
    expect(guard.bytesPerAccount).toBe(100_000)
    expect(limits).toEqual({ capacity: 6_000, step: 1_500, excess: 0 })
  })

  test('beyond the planned part of the limit, claims accounts nevertheless', () => {
    const { guard, memory } = createGuard()
    memory.usedBytes = 800 * MB
    guard.check(loadOf({ loggedIn: 6_500 }))
    expect(guard.refusing).toBe(true)
    expect(guard.check(loadOf({})).capacity).toBe(6_000)
    expect(guard.refusing).toBe(false)
  })

  test('accounts that start beside the garbage, are neither large nor given back', () => {
    const { guard, memory } = releaseAll()
    expect(guard.check(loadOf({ waiting: 1_500 }))).toEqual({
      capacity: 4_500,
      step: 1_125,
      excess: 0,
    })
    memory.usedBytes = 700 * MB // 300 of the accounts, 30 MB more
    expect(guard.check(loadOf({ loggedIn: 300, waiting: 1_200 })).excess).toBe(0)
    expect(guard.bytesPerAccount).toBe(100_000)
  })

  test('garbage that the process does not return, refuses accounts at the limit', () => {
    const { guard, memory } = releaseAll()
    memory.usedBytes = 760 * MB
    const limits = guard.check(loadOf({ loggedIn: 900, waiting: 600 }))
    expect(limits).toEqual({ capacity: 0, step: 0, excess: 0 })
    expect(guard.refusing).toBe(true)
  })

  test('returned garbage, measures larger accounts again', () => {
    const { guard, memory } = releaseAll()
    memory.usedBytes = 160 * MB
    guard.check(loadOf({ waiting: 1_000 }))
    memory.usedBytes = 390 * MB // 230 kB for each of 1,000 accounts, and 10 MB of garbage
    guard.check(loadOf({ loggedIn: 1_000 }))
    expect(guard.bytesPerAccount).toBe(200_000)
  })
})

test('MemoryGuard: with the shipped limits, the first claim takes thousands of accounts', () => {
  // Memory limits of the container in k8s/base and of the V8 heap, with the memory use of a process
  // without accounts.
  const shipped = {
    resident: { limitBytes: 3 * 2 ** 30, usedBytes: () => 300 * MB },
    heap: { limitBytes: 1_536 * 2 ** 20, usedBytes: () => 70 * MB },
  }
  const memories = processMemories().map((memory) => ({ ...memory, ...shipped[memory.name] }))
  const log = { info: () => undefined, warn: () => undefined }
  const guard = new MemoryGuard({ log: log as never, onChange: () => undefined, memories })
  expect(guard.check(loadOf({})).step).toBeGreaterThan(2_000)
  expect(guard.check(loadOf({ waiting: 1_000 })).step).toBeGreaterThan(1_000)
})

test('processMemories: limits and use of this process', () => {
  for (const { limitBytes, usedBytes } of processMemories()) {
    expect(usedBytes()).toBeGreaterThan(1e6)
    expect(limitBytes).toBeGreaterThan(usedBytes())
  }
})
