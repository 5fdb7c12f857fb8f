import { expect, jest, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { HeldShards } from '../shards/held-shards.ts'
import { LendingPeers } from '../shards/lending-peers.ts'
import { type LendDeps, onLendUnits } from './lend-units.ts'

const mailbox = { account: 'a', provider: 'graph', application: 'app' } as const
const shard = shardOf('a')

async function create(loan: ReturnType<LendDeps['limiter']['lend']>) {
  const shards = new HeldShards(() => 7)
  const lend = jest.fn<LendDeps['limiter']['lend']>().mockReturnValue(loan)
  const applyMailboxPause = jest.fn<LendDeps['limiter']['applyMailboxPause']>()
  const requested = jest.fn<LendDeps['loans']['requested']>()
  const limiter = { lend, applyMailboxPause }
  const { handle } = onLendUnits({ limiter, shards, loans: { requested } })
  const request = (more: object) => handle({ ...mailbox, ...more } as never, {} as never)
  await shards.claimed([{ shard, owner: 'w', epoch: '1' }])
  return { shards, lend, applyMailboxPause, requested, request }
}

test('lendUnits: lends the units of a held mailbox, and counts them', async () => {
  const { lend, requested, request } = await create({ isGranted: true, delayMs: 40, pauseMs: 0 })
  expect(await request({ units: 100 })).toEqual({ granted: 100, delayMs: 40 })
  expect(lend).toHaveBeenCalledWith(mailbox, 100)
  expect(requested).toHaveBeenCalledWith({ provider: 'graph', units: 100, result: 'granted' })
})

test('lendUnits: a paused mailbox, replies with the end of the pause', async () => {
  const { requested, request } = await create({ isGranted: false, delayMs: 9_000, pauseMs: 9_000 })
  const before = Date.now()
  const reply = (await request({ units: 1 })) as { granted: number; pausedUntil: number }
  expect(reply).toMatchObject({ granted: 0, delayMs: 9_000 })
  expect(reply.pausedUntil - before).toBeGreaterThanOrEqual(9_000)
  expect(requested).toHaveBeenCalledWith({ provider: 'graph', units: 1, result: 'paused' })
})

test('lendUnits: a pause that a sender reports, applies to the mailbox and takes no units', async () => {
  const { lend, applyMailboxPause, request } = await create({
    isGranted: true,
    delayMs: 0,
    pauseMs: 0,
  })
  const pausedUntil = Date.now() + 60_000
  expect(await request({ units: 0, pausedUntil })).toEqual({ granted: 0, delayMs: 0 })
  const [paused, ms = 0] = applyMailboxPause.mock.lastCall ?? []
  expect(paused).toEqual(mailbox)
  expect(ms).toBeGreaterThan(0)
  expect(ms).toBeLessThanOrEqual(60_000)
  expect(lend).not.toHaveBeenCalled()
})

test('lendUnits: without the shard of the mailbox, fails and takes no units', async () => {
  const { shards, lend, request } = await create({ isGranted: true, delayMs: 0, pauseMs: 0 })
  await shards.released([shard])
  await expect(request({ units: 1 })).rejects.toMatchObject({ code: 'WorkerNotAvailable' })
  expect(lend).not.toHaveBeenCalled()
})

test('HeldShards: knows the time of a claim, except of shards that no worker held before', async () => {
  const shards = new HeldShards(() => 7)
  await shards.claimed([{ shard, owner: 'w', epoch: '1' }])
  expect([shards.hasAccount('a'), shards.heldSince('a')]).toEqual([true, undefined])
  await shards.released([shard])
  expect([shards.hasAccount('a'), shards.heldSince('a')]).toEqual([false, undefined])
  await shards.claimed([{ shard, owner: 'w', epoch: '2' }])
  expect(shards.heldSince('a')).toBe(7)
})

test('LendingPeers: complete 10 s after the last process of an earlier release was seen', () => {
  let now = 0
  const peers = new LendingPeers(() => now)
  const at = (ms: number, hasOthers: boolean) => {
    now = ms
    peers.observe(hasOthers)
    return peers.areComplete
  }
  expect(peers.areComplete).toBe(false)
  expect(at(0, true)).toBe(false)
  expect(at(60_000, false)).toBe(false)
  expect(at(69_999, false)).toBe(false)
  expect(at(70_000, false)).toBe(true)
  expect(at(75_000, true)).toBe(false)
})
