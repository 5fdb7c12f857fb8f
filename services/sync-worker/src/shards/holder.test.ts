import { describe, expect, test } from '@jest/globals'
import { Takeover } from './holder.ts'

/**
 * Takeover of accounts of one host by a worker with half of the 50 permitted logins per second. 500
 * accounts take 20 s.
 */
function testTakeover() {
  let time = 0
  const shards = { isTaking: true }
  const counts = new Map<string, number>()
  const accounts = { listed: true, moving: 0, logins: () => new Map([[0, counts]]) }
  const takeover = new Takeover({
    shards,
    accounts,
    loginRate: { workers: 2 },
    logins: { perSecond: 50, concurrent: 200 },
    clock: () => time,
  })
  const isReady = () => {
    try {
      takeover.check()
      return true
    } catch {
      return false
    }
  }
  return { shards, accounts, counts, isReady, pass: (ms: number) => void (time += ms) }
}

describe('Takeover.check', () => {
  test('throws until the share is reached and each moved account has tried to log in', () => {
    const { shards, accounts, isReady } = testTakeover()
    expect(isReady()).toBe(false)
    accounts.listed = false
    shards.isTaking = false
    expect(isReady()).toBe(false)
    accounts.moving = 1
    accounts.listed = true
    expect(isReady()).toBe(false)
    accounts.moving = 0
    expect(isReady()).toBe(true)
    accounts.moving = 1
    expect(isReady()).toBe(false)
  })

  test('passes after the time that the pace allows, 1.25 times the logins and 30 s', () => {
    const { shards, accounts, counts, isReady, pass } = testTakeover()
    shards.isTaking = false
    accounts.moving = 500
    counts.set('192.0.2.1', 500)
    expect(isReady()).toBe(false)
    pass(54_000)
    expect(isReady()).toBe(false)
    pass(1_500)
    expect(isReady()).toBe(true)
    counts.set('192.0.2.1', 10_000)
    expect(isReady()).toBe(true)
    accounts.moving = 0
    expect(isReady()).toBe(true)
    accounts.moving = 1
    expect(isReady()).toBe(false)
  })
})
