import { expect, test } from '@jest/globals'
import { SyncRunner } from '../sync-runner.ts'
import type { SyncAction } from '../sync-schedule.ts'
import type { SyncTrigger } from '../sync-trigger.ts'
import type { PassOptions, PassResult } from './feeds/feed-pass.ts'
import { apiRules, outcomeOf, passOptions } from './api-rules.ts'

const config = { apiPollMs: 45_000, apiPollNotifiedMs: 600_000, apiPollInboxMs: 60_000 }
const done: PassResult = {
  dueAt: undefined,
  hasRounds: false,
  hasChanges: false,
  unreported: [],
  refusal: undefined,
}
const notified = (...ids: string[]): SyncTrigger => ({
  kind: 'push',
  messages: ids.map((id) => ({ id })),
})

/** Sync schedule of an account at a mail API, with a clock that the test moves. */
class Scene {
  time = 1_000_000
  random = 0.5
  readonly watch = { isActive: true, isRefused: false }
  readonly notifications = { isLossy: false }
  readonly schedule = new SyncRunner({ now: () => this.time, random: () => this.random })

  constructor() {
    this.schedule.start(() => apiRules(config, this.watch, this.notifications))
    this.pass('full')
  }

  /**
   * Delay of the next sync pass, and the reason of the delay: the poll interval, or work that is
   * due earlier.
   */
  next() {
    const { action, delayMs } = this.schedule.next
    return { delayMs, reason: action === 'poll' ? 'poll' : 'due' }
  }

  pass(action: SyncAction, result: Partial<PassResult> = {}): PassOptions {
    const options = passOptions(this.schedule.beginNow(action), this.watch)
    this.schedule.end(outcomeOf({ ...done, ...result }))
    return options
  }

  /** Moves the clock to the next scheduled sync pass and runs the pass. */
  run(result: Partial<PassResult> = {}) {
    const { action } = this.schedule.next
    const { delayMs, reason } = this.next()
    this.time += delayMs
    return { delayMs, reason, options: this.pass(action, result) }
  }

  notify(trigger: SyncTrigger, result: Partial<PassResult> = {}) {
    this.schedule.trigger(trigger)
    return this.pass(this.schedule.next.action, result)
  }
}

test.each([
  [false, [30_000, 45_000, 60_000]],
  [true, [400_000, 600_000, 800_000]],
])('followFeeds: with notifications %p, polls spread around the interval', (isActive, expected) => {
  const delays = [0, 0.5, 1].map((random) => {
    const scene = new Scene()
    scene.watch.isActive = isActive
    scene.random = random
    scene.run()
    return scene.next().delayMs
  })
  expect(delays.map(Math.round)).toEqual(expected)
})

test('followFeeds: notified messages are read apart and do not delay the poll of everything', () => {
  const scene = new Scene()
  scene.time += 590_000
  const options = scene.notify(notified('a'))
  expect(options.parts?.messages).toEqual(new Map([['a', false]]))
  const { delayMs, reason, options: poll } = scene.run()
  expect([delayMs, reason, poll.parts]).toEqual([10_000, 'poll', undefined])
})

test('followFeeds: a notified message without changes is read after 1, 2, 4, 8, 16 and 30 s', () => {
  const scene = new Scene()
  const unreported = [{ id: 'a', isNew: true }]
  scene.notify(notified('a'), { unreported })
  const delays: number[] = []
  for (;;) {
    const { delayMs, reason, options } = scene.run({ unreported })
    if (reason === 'poll') break
    delays.push(delayMs)
    expect([...(options.parts?.messages.keys() ?? [])]).toEqual(['a'])
  }
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000])
})

test('followFeeds: an indexed message without changes is read three times', () => {
  const scene = new Scene()
  const unreported = [{ id: 'a', isNew: false }]
  scene.notify(notified('a'), { unreported })
  const reasons = [1, 2, 3, 4].map(() => scene.run({ unreported }).reason)
  expect(reasons).toEqual(['due', 'due', 'due', 'poll'])
})

test('followFeeds: after a notification without changes that names nothing, one more pass after 1 s', () => {
  const scene = new Scene()
  const unnamed = { kind: 'push' } as const
  scene.notify(unnamed, { hasChanges: true })
  expect(scene.next().reason).toBe('poll')
  scene.notify(unnamed)
  const { delayMs, reason, options } = scene.run()
  expect([delayMs, reason, options.parts]).toEqual([1_000, 'due', undefined])
  expect(scene.next()).toEqual({ delayMs: 600_000, reason: 'poll' })
})

test('followFeeds: full rounds that are left continue immediately, with everything', () => {
  const scene = new Scene()
  scene.notify(notified('a'), { hasRounds: true })
  const { delayMs, reason, options } = scene.run({ hasRounds: false })
  expect([delayMs, reason, options.parts]).toEqual([0, 'due', undefined])
})

test('followFeeds: if notifications are refused, main folders every 60 s, all every 15 min', () => {
  const scene = new Scene()
  Object.assign(scene.watch, { isActive: false, isRefused: true })
  const passes = Array.from({ length: 31 }, () => scene.run())
  expect(new Set(passes.map(({ delayMs }) => delayMs))).toEqual(new Set([60_000]))
  const all = passes.flatMap(({ options }, at) => (options.parts ? [] : [at + 1]))
  expect(all).toEqual([15, 30])
  expect(passes[0]?.options.parts?.specialUses).toEqual(['\\Inbox', '\\Sent', '\\Drafts', '\\Junk'])
})

test('followFeeds: if notifications get lost, the inbox every 48 to 60 s, everything every 10 min', () => {
  const scene = new Scene()
  scene.notifications.isLossy = true
  const delays = [0, 1].map((random) => {
    scene.random = random
    scene.run()
    return scene.run().delayMs
  })
  expect(delays.map(Math.round)).toEqual([48_000, 60_000])
  scene.pass('full')
  const passes = Array.from({ length: 20 }, () => scene.run().options.parts)
  const all = passes.flatMap((parts, at) => (parts ? [] : [at + 1]))
  expect(all).toEqual([10, 20])
  expect(passes[0]).toEqual({ messages: new Map(), specialUses: ['\\Inbox'] })
})

test('followFeeds: while the provider notifies of everything, or polls are frequent, no inbox polls', () => {
  const often = { ...config, apiPollNotifiedMs: 60_000 }
  const watch = { isActive: true, isRefused: false }
  for (const rules of [
    apiRules(config, watch, { isLossy: false }),
    apiRules(often, watch, { isLossy: true }),
  ])
    expect(rules.completeMs).toBe(0)
})

test('followFeeds: a poll that is due takes the notified messages, so that requests never delay it', () => {
  const scene = new Scene()
  scene.time += 600_000
  scene.schedule.trigger(notified('a'))
  const { reason, options } = scene.run()
  expect([reason, options]).toEqual(['poll', { notified: new Map([['a', false]]) }])
})

test('followFeeds: full rounds yield to requests and due polls, not to messages that are read again', () => {
  const scene = new Scene()
  scene.notify(notified('a'), { unreported: [{ id: 'a', isNew: true }] })
  scene.schedule.beginNow('full')
  scene.time += 1_000
  expect(scene.schedule.mustYield).toBe(false)
  scene.schedule.trigger(notified('b'))
  expect(scene.schedule.mustYield).toBe(true)
  scene.schedule.end(outcomeOf(done))
  scene.run()
  scene.schedule.beginNow('full')
  expect(scene.schedule.mustYield).toBe(false)
  scene.time += 600_000
  expect(scene.schedule.mustYield).toBe(true)
})
