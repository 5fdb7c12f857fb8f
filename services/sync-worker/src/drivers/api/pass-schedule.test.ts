import { expect, test } from '@jest/globals'
import type { PassResult } from './feeds/pass.ts'
import { type PassRequests, PassSchedule } from './pass-schedule.ts'

const config = { apiPollMs: 45_000, apiPollNotifiedMs: 600_000 }
const nothing: PassRequests = { all: false, messages: new Map(), isUnnamed: false }
const done: PassResult = {
  dueAt: undefined,
  hasRounds: false,
  hasChanges: false,
  unreported: [],
  unknownPath: undefined,
}
const noticed = (...ids: string[]) => ({
  ...nothing,
  messages: new Map(ids.map((id) => [id, false])),
})

class Scene {
  time = 1_000_000
  random = 0.5
  readonly watch = { isActive: true, isRefused: false }
  readonly schedule = new PassSchedule({
    config,
    watch: this.watch,
    now: () => this.time,
    random: () => this.random,
  })

  constructor() {
    this.schedule.plan('start', nothing)
    this.schedule.complete(done)
  }

  /** Waits for the next pass without requests and runs it. */
  run(result: Partial<PassResult> = {}) {
    const { delayMs, reason } = this.schedule.next()
    this.time += delayMs
    const options = this.schedule.plan(reason, nothing)
    this.schedule.complete({ ...done, ...result })
    return { delayMs, reason, options }
  }

  notice(requests: PassRequests, result: Partial<PassResult> = {}) {
    const options = this.schedule.plan('request', requests)
    this.schedule.complete({ ...done, ...result })
    return options
  }
}

test.each([
  [false, [30_000, 45_000, 60_000]],
  [true, [400_000, 600_000, 800_000]],
])(
  'PassSchedule: with notifications %p, polls spread around the interval',
  (isActive, expected) => {
    const delays = [0, 0.5, 1].map((random) => {
      const scene = new Scene()
      scene.watch.isActive = isActive
      scene.random = random
      scene.run()
      return scene.schedule.next().delayMs
    })
    expect(delays.map(Math.round)).toEqual(expected)
  },
)

test('PassSchedule: noticed messages are read apart and do not delay the poll of everything', () => {
  const scene = new Scene()
  scene.time += 590_000
  const options = scene.notice(noticed('a'))
  expect(options.parts?.messages).toEqual(new Map([['a', false]]))
  const { delayMs, reason, options: poll } = scene.run()
  expect([delayMs, reason, poll.parts]).toEqual([10_000, 'poll', undefined])
})

test('PassSchedule: a noticed message without changes is read after 1, 2, 4, 8, 16 and 30 s', () => {
  const scene = new Scene()
  const unreported = [{ id: 'a', isNew: true }]
  scene.notice(noticed('a'), { unreported })
  const delays: number[] = []
  for (;;) {
    const { delayMs, reason, options } = scene.run({ unreported })
    if (reason === 'poll') break
    delays.push(delayMs)
    expect([...(options.parts?.messages.keys() ?? [])]).toEqual(['a'])
  }
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000])
})

test('PassSchedule: an indexed message without changes is read three times', () => {
  const scene = new Scene()
  const unreported = [{ id: 'a', isNew: false }]
  scene.notice(noticed('a'), { unreported })
  const reasons = [1, 2, 3, 4].map(() => scene.run({ unreported }).reason)
  expect(reasons).toEqual(['due', 'due', 'due', 'poll'])
})

test('PassSchedule: after a notification without changes that names nothing, one more pass after 1 s', () => {
  const scene = new Scene()
  const unnamed = { ...nothing, all: true, isUnnamed: true }
  scene.notice(unnamed, { hasChanges: true })
  expect(scene.schedule.next().reason).toBe('poll')
  scene.notice(unnamed)
  const { delayMs, reason, options } = scene.run()
  expect([delayMs, reason, options.parts]).toEqual([1_000, 'due', undefined])
  expect(scene.schedule.next()).toEqual({ delayMs: 600_000, reason: 'poll' })
})

test('PassSchedule: full rounds that are left continue immediately, with everything', () => {
  const scene = new Scene()
  scene.notice(noticed('a'), { hasRounds: true })
  const { delayMs, reason, options } = scene.run({ hasRounds: false })
  expect([delayMs, reason, options.parts]).toEqual([0, 'due', undefined])
})

test('PassSchedule: if notifications are refused, main folders every 60 s, all every 15 min', () => {
  const scene = new Scene()
  Object.assign(scene.watch, { isActive: false, isRefused: true })
  const passes = Array.from({ length: 31 }, () => scene.run())
  expect(new Set(passes.map(({ delayMs }) => delayMs))).toEqual(new Set([60_000]))
  const all = passes.flatMap(({ options }, at) => (options.parts ? [] : [at + 1]))
  expect(all).toEqual([15, 30])
  expect(passes[0]?.options.parts?.specialUses).toEqual(['\\Inbox', '\\Sent', '\\Drafts', '\\Junk'])
})
