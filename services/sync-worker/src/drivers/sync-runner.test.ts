import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { noIntervals } from './sync-rules.ts'
import { SyncRunner } from './sync-runner.ts'
import type { SyncPass } from './sync-schedule.ts'

afterEach(() => void jest.useRealTimers())

/** Runner of a sync schedule without intervals whose first sync action has ended. */
function startedRunner(now?: () => number): SyncRunner {
  const runner = new SyncRunner(now ? { now } : {})
  runner.start(() => noIntervals)
  run(runner)
  return runner
}

/**
 * Starts the next due sync action and ends the action. Returns the parts of the account (mailboxes
 * and messages) that the action serves.
 */
function run(runner: SyncRunner) {
  const { action, delayMs } = runner.next
  if (delayMs > 0) return none
  const pass = runner.beginNow(action)
  runner.end({})
  return served(pass)
}

function served({ action, mailboxes, messages, reselect }: SyncPass) {
  const deleted = [...messages].map(([id, { isDeleted }]) => [id, isDeleted] as const)
  return { all: action === 'full', mailboxes, messages: new Map(deleted), reselect }
}

const none = { all: false, mailboxes: new Set(), messages: new Map(), reselect: new Set() }

describe('SyncRunner: requests', () => {
  test('merges and clears several requests', () => {
    const requests = startedRunner()
    const pending = requests.listen()
    expect(run(requests)).toEqual(none)
    expect(pending.aborted).toBe(false)
    requests.request({ mailboxes: ['a', 'b'] })
    requests.request({ mailboxes: ['b'] })
    expect(pending.aborted).toBe(true)
    expect(run(requests)).toEqual({ ...none, mailboxes: new Set(['a', 'b']) })
    expect(run(requests)).toEqual(none)
  })

  test('mailboxes to select are kept apart from mailboxes to sync', () => {
    const requests = startedRunner()
    const pending = requests.listen()
    requests.request({ reselect: 'a' })
    expect(pending.aborted).toBe(true)
    const { mailboxes, reselect } = run(requests)
    expect([mailboxes, reselect]).toEqual([new Set(), new Set(['a'])])
  })

  test('messages are merged, deleted only if no notification says otherwise', () => {
    const requests = startedRunner()
    const pending = requests.listen()
    requests.request({ messages: [{ id: 'a', isDeleted: true }, { id: 'b' }] })
    requests.request({ messages: [{ id: 'a' }, { id: 'c', isDeleted: true }] })
    expect(pending.aborted).toBe(true)
    const { all, messages } = run(requests)
    expect([all, [...messages]]).toEqual([
      false,
      [
        ['a', false],
        ['b', false],
        ['c', true],
      ],
    ])
  })

  test('more than 100 messages are a full sync', () => {
    const requests = startedRunner()
    requests.request({ messages: Array.from({ length: 101 }, (_, at) => ({ id: `${at}` })) })
    expect(run(requests)).toMatchObject({ all: true, messages: new Map() })
  })

  test('listen: a new signal after an action, aborted by the next request', () => {
    const requests = startedRunner()
    requests.listen()
    requests.request({ all: true })
    expect(run(requests).all).toBe(true)
    const pending = requests.listen()
    expect(pending.aborted).toBe(false)
    requests.request({ all: true })
    expect(pending.aborted).toBe(true)
  })

  test('a request before the connection is part of its first pass, with messages by name', () => {
    const requests = new SyncRunner()
    requests.request({ messages: [{ id: 'a' }], mailboxes: ['b'] })
    requests.start(() => noIntervals)
    expect(run(requests)).toEqual({ ...none, all: true, messages: new Map([['a', false]]) })
    expect(run(requests)).toEqual(none)
  })
})

/**
 * Sync schedule of an account whose provider sends notifications. Sync passes of the account take
 * no time.
 */
class PushScene {
  readonly passed: SyncPass[] = []
  #time = 1_000_000
  readonly #runner = startedRunner(() => this.#time)

  /**
   * Adds a provider notification, about the messages with these ids or about the account as a
   * whole.
   */
  add(isMissed: boolean, ...ids: string[]): void {
    const messages = ids.length > 0 ? ids.map((id) => ({ id })) : undefined
    this.#runner.trigger({ kind: 'push', isMissed, messages })
    this.advance(0)
  }

  advance(ms: number): void {
    const end = this.#time + ms
    for (;;) {
      const { action, delayMs } = this.#runner.next
      if (this.#time + delayMs > end) break
      this.#time += delayMs
      this.passed.push(this.#runner.beginNow(action))
      this.#runner.end({ hasChanges: true })
    }
    this.#time = end
  }

  get kinds(): string[] {
    return this.passed.map(({ isMissed }) => (isMissed ? 'missed' : 'changed'))
  }
}

describe('SyncRunner: notifications of a provider', () => {
  test('the first one passes immediately, and those within 200 ms as one', () => {
    const scene = new PushScene()
    for (let at = 0; at < 100; at += 1) scene.add(false)
    expect(scene.kinds).toEqual(['changed'])
    scene.advance(200)
    expect(scene.kinds).toEqual(['changed', 'changed'])
    scene.advance(200)
    scene.add(false)
    expect(scene.kinds).toEqual(['changed', 'changed', 'changed'])
  })

  test('`missed` is not replaced by `changed`', () => {
    const scene = new PushScene()
    for (const isMissed of [false, true, false]) scene.add(isMissed)
    scene.advance(200)
    expect(scene.kinds).toEqual(['changed', 'missed'])
  })

  test('continuous ones pass five times a second', () => {
    const scene = new PushScene()
    for (let at = 0; at < 100; at += 1) {
      scene.add(false)
      scene.advance(10)
    }
    expect(scene.passed).toHaveLength(6)
  })

  test('named messages are merged, one without names concerns all', () => {
    const scene = new PushScene()
    scene.add(false, 'a')
    scene.add(false, 'b')
    scene.add(false, 'c', 'd')
    scene.advance(200)
    scene.add(false, 'e')
    scene.add(false)
    scene.advance(200)
    scene.add(false, 'f')
    scene.add(false, ...Array.from({ length: 101 }, (_, at) => `${at}`))
    scene.advance(200)
    const named = scene.passed.map(({ action, messages }) =>
      action === 'full' ? undefined : [...messages.keys()],
    )
    expect(named).toEqual([['a'], ['b', 'c', 'd'], undefined, undefined])
  })
})

describe('SyncRunner.begin', () => {
  test('waits for the end of the 200 ms, and holds no timer after its signal aborted', async () => {
    jest.useFakeTimers()
    const runner = startedRunner()
    const stop = new AbortController()
    runner.trigger({ kind: 'push' })
    run(runner)
    runner.trigger({ kind: 'push' })
    const waiting = runner.begin(stop.signal)
    expect(jest.getTimerCount()).toBe(1)
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    expect(jest.getTimerCount()).toBe(0)
    expect(runner.running).toBeUndefined()
  })

  test('a trigger ends the wait for a later action', async () => {
    jest.useFakeTimers()
    const runner = startedRunner()
    runner.trigger({ kind: 'push', messages: [{ id: 'a' }] })
    runner.beginNow('parts')
    runner.end({ unreported: [{ id: 'a', isNew: true }] })
    const waiting = runner.begin(new AbortController().signal)
    runner.request({ mailboxes: ['b'] })
    const pass = await waiting
    expect([pass.mailboxes, pass.messages]).toEqual([new Set(['b']), new Map()])
    runner.end({})
    const later = runner.begin(new AbortController().signal)
    await jest.advanceTimersByTimeAsync(1_000)
    expect([...(await later).messages.keys()]).toEqual(['a'])
  })
})
