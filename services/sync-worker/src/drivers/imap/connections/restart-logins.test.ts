import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { AccountDemand, type LoginFor } from './login-gate.ts'
import { createLoginLimiter } from './login-limiter.ts'

// Logins at the size of a large installation: 10,000 accounts of one host log in after a restart.
// The server needs 100 ms per login. All times are by the fake timers.

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const count = 10_000
const host = 'imap.example'
const loginMs = 100
const never = new AbortController().signal

interface Load {
  seconds: number
  readsPerSecond: number
  /** Maximum logins per second that this worker starts. */
  perSecond?: number
}

/**
 * Starts the logins of all account sessions, then reads random accounts. A read needs a separate
 * login unless the session of its account is logged in: then the read borrows the session's
 * connection.
 */
async function restart({ seconds, readsPerSecond, perSecond = 50 }: Load) {
  const limits = { perHost: 15, perSecond, concurrent: 200 }
  const limiter = createLoginLimiter(limits, { findAddress: async () => '192.0.2.1' })
  /** Times at which logins at the mail server started. */
  const started: number[] = []
  const logIn = async (loginFor: LoginFor) => {
    const permit = await limiter.acquire(host, never, { loginFor })
    started.push(performance.now())
    await new Promise((resolve) => setTimeout(resolve, loginMs))
    permit[Symbol.dispose]()
  }
  const demands = Array.from({ length: count }, () => new AccountDemand())
  const sessions = new Set<number>()
  for (const [account, demand] of demands.entries())
    void logIn(demand).then(() => sessions.add(account))
  const reads: { account: number; ms: number }[] = []
  for (let read = 0; read < seconds * readsPerSecond; read++) {
    const account = (read * 7_919) % count
    const from = performance.now()
    demands[account]?.ask()
    const connected = sessions.has(account) ? Promise.resolve() : logIn('command')
    void connected.then(() => reads.push({ account, ms: performance.now() - from }))
    await jest.advanceTimersByTimeAsync(1_000 / readsPerSecond)
  }
  return { reads, sessions, started, longestMs: Math.max(...reads.map(({ ms }) => ms)) }
}

describe('10,000 accounts of one host log in', () => {
  // Two workers each have half of the permitted logins per second and half of the reads.
  test.each([
    { workers: 1, perSecond: 50, readsPerSecond: 10 },
    { workers: 2, perSecond: 25, readsPerSecond: 5 },
  ])('$workers workers: each read needs its login and 200 ms at most', async (load) => {
    const { reads, sessions, longestMs } = await restart({ ...load, seconds: 20 })
    expect(reads.length).toBeGreaterThan(20 * load.readsPerSecond - 5)
    expect(longestMs).toBeLessThan(loginMs + 200)
    // The session of each account that is read logs in before sessions of other accounts.
    const read = reads.slice(0, -load.readsPerSecond).map(({ account }) => account)
    expect(read.filter((account) => !sessions.has(account))).toEqual([])
    // Sessions of accounts that are not read use the remaining logins per second.
    expect(sessions.size).toBeGreaterThan(20 * (load.perSecond - load.readsPerSecond) * 0.95)
  })

  test('more reads than the pace allows: sessions keep a third', async () => {
    const { sessions, started } = await restart({ seconds: 20, readsPerSecond: 100 })
    expect(sessions.size).toBeGreaterThan(320)
    expect(started.length).toBeGreaterThan(950)
  })

  test('the host never gets more logins per second than the limit', async () => {
    const { started } = await restart({ seconds: 20, readsPerSecond: 40 })
    // A login may start earlier than the rate limit permits, by the tolerance of 50 ms.
    const most = 50 + 3
    for (const [n, at] of started.entries())
      expect((started[n + most] ?? Infinity) - at).toBeGreaterThan(1_000)
  })
})
