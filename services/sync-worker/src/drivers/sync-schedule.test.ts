import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  begin,
  end,
  next,
  start,
  stopped,
  type SyncAction,
  type SyncOutcome,
  type SyncPass,
  type SyncSchedule,
} from './sync-schedule.ts'
import type { SyncRules } from './sync-rules.ts'
import { addTrigger, type SyncRequest, type SyncTrigger } from './sync-trigger.ts'

const imap: SyncRules = {
  fullMs: 900_000,
  fullAt: Infinity,
  partsAt: Infinity,
  pollMs: Infinity,
  pollSpread: 1 / 3,
  minPollMs: 12_000,
  completeMs: Infinity,
  listMs: 240_000,
  reported: undefined,
  related: undefined,
}
const api: SyncRules = {
  ...imap,
  fullMs: Infinity,
  pollMs: 45_000,
  minPollMs: 0,
  completeMs: 0,
  listMs: Infinity,
}

/**
 * Account with a sync schedule whose actions the test runs. Fails if sync passes overlap, or if the
 * schedule twice names a time in the past.
 */
class Account {
  now = 1_000_000
  random = 0.5
  rules: SyncRules
  readonly passes: SyncPass[] = []
  schedule: SyncSchedule
  readonly #failed = new Set<SyncPass>()
  #isTriggered = false

  constructor(rules: SyncRules) {
    this.rules = rules
    this.schedule = start(stopped, this.now)
  }

  static synced(rules: SyncRules): Account {
    const account = new Account(rules)
    account.run()
    return account
  }

  get next() {
    return next(this.schedule, this)
  }

  /** Delay until the next sync action of the account. */
  get delayMs(): number {
    return this.next.at - this.now
  }

  trigger(trigger: SyncTrigger): void {
    this.schedule = addTrigger(this.schedule, this, trigger)
  }

  begin(action: SyncAction = this.next.action): SyncPass {
    const started = begin(this.schedule, this, action)
    this.schedule = started
    this.passes.push(started.running)
    return started.running
  }

  end(outcome: SyncOutcome = {}): void {
    this.schedule = end(this.schedule, this, outcome)
  }

  /** Moves the clock to the next sync action and runs the action. */
  run(outcome: SyncOutcome = {}): SyncPass {
    this.now = this.next.at
    const pass = this.begin()
    this.end(outcome)
    return pass
  }

  /**
   * Takes a random step of the sync schedule: a trigger, elapsed time, a failure, or the start or
   * end of a sync pass.
   */
  take(each: Step): void {
    this.#isTriggered ||= 'trigger' in each
    if ('elapsed' in each) this.now += each.elapsed
    else if ('trigger' in each) this.trigger(each.trigger)
    else if ('isFailed' in each) {
      if (this.schedule.running) this.#failed.add(this.schedule.running)
      this.schedule = start(this.schedule, this.now)
    } else if (this.schedule.running) this.#endOnce(this.schedule.running, each)
    else if (this.next.at <= this.now) {
      this.#isTriggered = false
      this.begin()
    }
  }

  /**
   * Ends a sync action. Fails if the same action is due at the end of the sync action, and no
   * trigger, outcome or waiting message requires another action.
   */
  #endOnce({ action, startedAt }: SyncPass, outcome: SyncOutcome): void {
    const waiting = [...this.schedule.messages.values()]
    const hasDueMessage = waiting.some(({ at }) => at > startedAt && at <= this.now)
    this.end(outcome)
    if (hasDueMessage) return
    if (this.#isTriggered || outcome.hasRounds || outcome.isUnsettled) return
    if (this.next.at <= this.now) expect(this.next.action).not.toBe(action)
  }

  /** Sync passes without a failure, from the pass number `after` on. */
  completed(after: number): SyncPass[] {
    return this.passes.slice(after).filter((pass) => !this.#failed.has(pass))
  }

  /** Runs sync actions until no further action is due within `ms`. */
  settle(ms: number): void {
    const until = this.now + ms
    for (let count = 0; this.next.at <= until; count += 1) {
      if (count > 1_000) throw new Error('The schedule does not settle')
      this.run()
    }
    this.now = until
  }
}

const unchanged = {
  isMainChanged: false,
  mailboxes: new Set<string>(),
  list: false,
  overflow: false,
  notified: false,
}

describe('SyncSchedule of a connection', () => {
  test('full syncs at their interval from start to start, list checks in between', () => {
    const account = new Account({ ...imap, fullMs: 600_000 })
    account.begin()
    account.now += 30_000
    account.end()
    const actions = [1, 2, 3].map(() => [account.run().action, account.now])
    expect(actions).toEqual([
      ['list', 1_270_000],
      ['list', 1_510_000],
      ['full', 1_600_000],
    ])
  })

  test.each([
    ['a change of the watched mailbox', { isMainChanged: true }, 'poll', 12_000],
    ['a changed mailbox', { mailboxes: new Set(['a']) }, 'parts', 0],
    ['a changed list', { list: true }, 'poll', 0],
    ['the end of the notifications', { overflow: true }, 'full', 0],
    ['any other notification', { notified: true }, 'list', 2_000],
  ] as const)('after %s', (_name, reported, ...expected) => {
    const account = Account.synced(imap)
    account.trigger({ kind: 'notification', ...unchanged, ...reported })
    expect([account.next.action, account.delayMs]).toEqual(expected)
  })

  test('an unsettled result: one poll, 12 s after the end of the last pass', () => {
    const account = Account.synced(imap)
    account.trigger({ kind: 'unsettled' })
    account.now += 5_000
    account.trigger({ kind: 'unsettled' })
    expect([account.next.action, account.delayMs]).toEqual(['poll', 7_000])
    account.run({ isUnsettled: true })
    expect([account.next.action, account.delayMs]).toEqual(['poll', 12_000])
    account.run()
    expect(account.next.action).toBe('list')
  })

  test('an unsettled result with NOTIFY: one check of the mailbox list as well, after 2 s', () => {
    const account = Account.synced({ ...imap, reported: 'all' })
    account.trigger({ kind: 'request', all: true })
    account.run({ isUnsettled: true })
    expect([account.next.action, account.delayMs]).toEqual(['list', 2_000])
    account.run({ isUnsettled: true })
    expect([account.next.action, account.delayMs]).toEqual(['poll', 10_000])
    account.trigger({ kind: 'request', reselect: 'a' })
    expect(account.run({ isUnsettled: true }).action).toBe('parts')
    expect([account.next.action, account.delayMs]).toEqual(['list', 2_000])
  })

  test.each([
    ['of no mailbox', undefined, ['a', 'main']],
    ['of the watched mailbox', 'main', ['a']],
    ['of all mailboxes', 'all', []],
  ])('requests with notifications %s', (_name, reported, synced) => {
    const account = Account.synced({ ...imap, reported })
    account.trigger({ kind: 'request', mailboxes: ['a', 'main'] })
    expect([...account.schedule.mailboxes]).toEqual(synced)
    expect(account.next.action).toBe(synced.length > 0 ? 'parts' : 'list')
  })

  test('a request with related mailboxes syncs them, and polls', () => {
    const account = Account.synced({ ...imap, related: ['all', 'junk'] })
    account.trigger({ kind: 'request', mailboxes: ['label'] })
    expect([...account.run().mailboxes]).toEqual(['label', 'all', 'junk'])
    expect([account.next.action, account.delayMs]).toEqual(['poll', 12_000])
  })

  test('a pass includes changed mailboxes, but not those to select', () => {
    const account = Account.synced(imap)
    account.trigger({ kind: 'request', mailboxes: ['a'], reselect: 'b', all: true })
    const [full, parts] = [account.run(), account.run()]
    expect([full.action, parts.action]).toEqual(['full', 'parts'])
    expect([[...full.mailboxes], [...parts.mailboxes]]).toEqual([['a'], []])
    expect([...parts.reselect]).toEqual(['b'])
  })

  test('a new connection lists the mailboxes after a request, a change, and every hour', () => {
    const account = Account.synced({ ...imap, fullMs: 7_200_000, listMs: Infinity })
    account.trigger({ kind: 'request', all: true })
    expect(account.run({ isListChanged: true }).isListOld).toBe(true)
    account.trigger({ kind: 'notification', ...unchanged, list: true })
    expect(account.run().isListOld).toBe(false)
    account.trigger({ kind: 'notification', ...unchanged, overflow: true })
    expect(account.run().isListOld).toBe(true)
    account.now += 3_600_000
    account.trigger({ kind: 'notification', ...unchanged, list: true })
    expect(account.run().isListOld).toBe(true)
    account.trigger({ kind: 'notification', ...unchanged, list: true })
    expect(account.run().isListOld).toBe(false)
  })

  test('begin and end: passes of an account do not overlap', () => {
    const account = new Account(imap)
    expect(() => account.end()).toThrow('No action of the account is in progress')
    account.begin()
    expect(() => account.begin('list')).toThrow('Passes of an account must not overlap')
  })

  test('start: triggers of a failed pass are served by the next connection', () => {
    const account = Account.synced(api)
    account.trigger({ kind: 'push', isMissed: true })
    account.trigger({ kind: 'request', reselect: 'b', messages: [{ id: 'a' }] })
    account.begin()
    account.trigger({ kind: 'request', messages: [{ id: 'c' }] })
    account.schedule = start(account.schedule, (account.now += 10_000))
    const { action, isMissed, messages } = account.run()
    expect([action, isMissed, [...messages.keys()]]).toEqual(['full', true, ['a', 'c']])
    expect([...account.run().reselect]).toEqual(['b'])
  })
})

// Sync triggers at random times: no trigger is lost, sync passes do not overlap, and no sync time
// is in the past twice.

const name = fc.constantFrom('a', 'b', 'c', 'd')
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 4 })
const messages = names.map((ids) => ids.map((id) => ({ id })))
const trigger: fc.Arbitrary<SyncTrigger> = fc.oneof(
  fc.constant<SyncTrigger>({ kind: 'request', all: true }),
  names.map((mailboxes): SyncTrigger => ({ kind: 'request', mailboxes })),
  name.map((reselect): SyncTrigger => ({ kind: 'request', reselect })),
  messages.map((each): SyncTrigger => ({ kind: 'request', messages: each })),
  fc.constantFrom<SyncTrigger>({ kind: 'push' }, { kind: 'push', isMissed: true }),
  messages.map((each): SyncTrigger => ({ kind: 'push', messages: each })),
  names.map((ids): SyncTrigger => {
    return { kind: 'notification', ...unchanged, mailboxes: new Set(ids) }
  }),
  fc.constantFrom('list', 'overflow', 'notified', 'isMainChanged').map((key): SyncTrigger => {
    return { kind: 'notification', ...unchanged, [key]: true }
  }),
  fc.constant<SyncTrigger>({ kind: 'unsettled' }),
)
type Step = { trigger: SyncTrigger } | { elapsed: number } | { isFailed: true } | SyncOutcome
const step: fc.Arbitrary<Step> = fc.oneof(
  trigger.map((each) => ({ trigger: each })),
  fc.integer({ min: 0, max: 20_000 }).map((elapsed) => ({ elapsed })),
  fc.constant({ isFailed: true as const }),
  fc.record({
    hasRounds: fc.boolean(),
    hasChanges: fc.boolean(),
    isUnsettled: fc.boolean(),
    unreported: names.map((ids) => ids.map((id) => ({ id, isNew: id < 'c' }))),
  }),
)

/** True if a sync pass serves a trigger (cause of a sync). */
function serves(pass: SyncPass, each: SyncTrigger): boolean {
  const isPass = pass.action === 'full' || pass.action === 'poll'
  switch (each.kind) {
    case 'unsettled':
      return isPass
    case 'push':
      if (each.isMissed) return pass.isMissed
      return pass.action === 'full' || isNamed(pass, each.messages)
    case 'notification':
      return each.overflow ? pass.action === 'full' : isPass || servesReport(pass, each)
    case 'request':
      return servesRequest(pass, each)
  }
}

type Report = Extract<SyncTrigger, { kind: 'notification' }>

/**
 * True if a sync pass of a part of the account, such as a `list` action, serves the notifications
 * of a mail server.
 */
function servesReport(pass: SyncPass, { mailboxes, notified }: Report): boolean {
  if (mailboxes.size > 0) return [...mailboxes].every(isSynced(pass))
  return notified && pass.action === 'list'
}

function servesRequest(pass: SyncPass, { all, reselect, messages: named, mailboxes }: SyncRequest) {
  if (reselect !== undefined) return pass.reselect.has(reselect)
  if (pass.action === 'full') return true
  if (all) return false
  if (named) return isNamed(pass, named)
  // A `poll` action compares the counters of mailboxes, which do not show changed flags.
  return pass.action !== 'poll' && [...(mailboxes ?? [])].every(isSynced(pass))
}

/**
 * Splits a trigger into one trigger for each message. Several sync passes may serve the messages of
 * one trigger, because a message that an earlier push named is read earlier.
 */
function partsOf(each: SyncTrigger): SyncTrigger[] {
  if (!('messages' in each) || each.messages === undefined) return [each]
  return [...each.messages].map((message) => ({ ...each, messages: [message] }))
}

const isSynced = (pass: SyncPass) => (id: string) => pass.mailboxes.has(id)
const isNamed = (pass: SyncPass, each: Iterable<{ id: string }> | undefined) =>
  each !== undefined && [...each].every(({ id }) => pass.messages.has(id))

describe.each([
  ['a connection', imap],
  ['a mail API', api],
])('SyncSchedule of %s with random triggers', (_name, rules) => {
  test('no trigger is lost, passes do not overlap, no time is in the past twice', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const account = new Account(rules)
        const added: { each: SyncTrigger; after: number }[] = []
        for (const each of steps) {
          if ('trigger' in each)
            for (const part of partsOf(each.trigger))
              added.push({ each: part, after: account.passes.length })
          account.take(each)
          expect(account.next.at).toBeGreaterThanOrEqual(account.now)
        }
        if (account.schedule.running) account.end()
        account.settle(60_000)
        const lost = added.filter(
          ({ each, after }) => !account.completed(after).some((pass) => serves(pass, each)),
        )
        expect(lost).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })
})
