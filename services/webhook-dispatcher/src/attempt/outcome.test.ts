import { expect, test } from '@jest/globals'
import type { CallResult } from '@posthorn/net/http-caller'
import type { HttpOutcome } from '@posthorn/net/outcome'
import { createSchedule } from '../targets/options.ts'
import { nextState } from './outcome.ts'

const schedule = createSchedule(undefined, 5_000)

const call = (outcome: HttpOutcome, more: Partial<CallResult> = {}): CallResult => ({
  outcome,
  headers: {},
  body: Buffer.alloc(0),
  durationMs: 1,
  ...more,
})

test('nextState: 2xx, delivered', () => {
  expect(nextState({ id: 'a', attempts: 1 }, call('2xx', { status: 204 }), schedule)).toMatchObject(
    {
      state: 'delivered',
      outcome: '2xx',
      status: 204,
    },
  )
})

test.each<HttpOutcome>([
  'http-4xx',
  'http-5xx',
  'dns',
  'refused',
  'unreachable',
  'connect-timeout',
  'response-timeout',
  'tls',
  'reset',
  'protocol',
])('nextState: %s, retried until the tenth attempt', (outcome) => {
  const first = nextState({ id: 'a', attempts: 1 }, call(outcome), schedule)
  expect(first).toMatchObject({ state: 'due', outcome, uncounted: false })
  expect(first.waitMs).toBeGreaterThanOrEqual(4_000)
  expect(first.waitMs).toBeLessThanOrEqual(5_000)
  expect(nextState({ id: 'a', attempts: 9 }, call(outcome), schedule)).toMatchObject({
    state: 'due',
  })
  expect(nextState({ id: 'a', attempts: 10 }, call(outcome), schedule)).toMatchObject({
    state: 'failed',
    outcome,
  })
})

test.each<HttpOutcome>(['redirect-refused', 'egress-blocked'])(
  'nextState: %s, failed after the first attempt',
  (outcome) => {
    expect(nextState({ id: 'a', attempts: 1 }, call(outcome), schedule)).toMatchObject({
      state: 'failed',
      outcome,
    })
  },
)

test('nextState: proxy-fault, retried uncounted for 24 h, outcome recorded', () => {
  const result = nextState(
    { id: 'a', attempts: 10 },
    call('proxy-fault', { error: 'away' }),
    schedule,
  )
  expect(result).toMatchObject({
    state: 'due',
    uncounted: true,
    outcome: 'proxy-fault',
    error: 'away',
  })
  expect(result.waitMs).toBeGreaterThanOrEqual(4_000)
  expect(result.waitMs).toBeLessThanOrEqual(5_000)
  const aged = (ageMs: number) =>
    nextState({ id: 'a', attempts: 10, ageMs }, call('proxy-fault'), schedule)
  expect([aged(40_000).waitMs, aged(80_000_000).waitMs]).toEqual([10_000, 300_000])
  expect(aged(86_400_000)).toMatchObject({ state: 'failed', outcome: 'proxy-fault' })
})

test('nextState: aborted, released uncounted', () => {
  expect(nextState({ id: 'a', attempts: 10 }, call('aborted'), schedule)).toMatchObject({
    state: 'due',
    uncounted: true,
    waitMs: 0,
    outcome: null,
  })
})

test('nextState: stores a limited response text that Postgres accepts', () => {
  const body = Buffer.concat([
    Buffer.from('no\0\u{1F4A3}'),
    Buffer.from([0xff, 0xfe]),
    Buffer.alloc(10_000, 'x'),
  ])
  const { response, error } = nextState(
    { id: 'a', attempts: 1 },
    call('http-5xx', { status: 500, body, error: 'bad\0' }),
    schedule,
  )
  expect(response?.startsWith('no\u{1F4A3}\uFFFD\uFFFDxxx')).toBe(true)
  expect(response).toHaveLength(2_000)
  expect(error).toBe('bad')
})

test.each<[number, string, number]>([
  [503, '60', 60_000],
  [429, '60', 60_000],
  [404, '60', 60_000],
  [503, '1', 4_000], // `Retry-After` makes no webhook retry earlier than the schedule
  [503, '99999', 3_600_000], // `Retry-After` delays a webhook retry by at most 1 h
  [503, '-5', 4_000],
  [503, 'soon', 4_000],
  [503, 'Wed, 21 Oct 2015 07:28:00 GMT', 4_000],
  [503, '9'.repeat(400), 4_000],
])('nextState: status %d with Retry-After %s, waits at least %d ms', (status, value, least) => {
  const response = call(status < 500 ? 'http-4xx' : 'http-5xx', {
    status,
    headers: { 'retry-after': value },
  })
  const { waitMs } = nextState({ id: 'a', attempts: 1 }, response, schedule)
  expect(waitMs).toBeGreaterThanOrEqual(least)
  expect(waitMs).toBeLessThanOrEqual(Math.max(least, 5_000))
})

test('nextState: Retry-After does not delay a failed delivery', () => {
  const headers = { 'retry-after': '60' }
  const redirect = call('redirect-refused', { status: 307, headers })
  expect(nextState({ id: 'a', attempts: 1 }, redirect, schedule)).toMatchObject({
    state: 'failed',
    waitMs: 0,
  })
  const last = call('http-5xx', { status: 503, headers })
  expect(nextState({ id: 'a', attempts: 10 }, last, schedule)).toMatchObject({
    state: 'failed',
    waitMs: 0,
  })
})

test('nextState: only 429 and 503 suspend the target', () => {
  const suspendMs = (status: number) =>
    nextState(
      { id: 'a', attempts: 1 },
      call(status < 500 ? 'http-4xx' : 'http-5xx', { status, headers: { 'retry-after': '7' } }),
      schedule,
    ).suspendMs
  expect([429, 503, 404, 500].map(suspendMs)).toEqual([7_000, 7_000, undefined, undefined])
})

test('nextState: a custom schedule fails after its last delay', () => {
  const own = createSchedule([1_000, 10_000], 5_000)
  const attempt = (attempts: number) => nextState({ id: 'a', attempts }, call('http-5xx'), own)
  expect(attempt(1).waitMs).toBeLessThanOrEqual(1_000)
  expect(attempt(2).waitMs).toBeGreaterThanOrEqual(8_000)
  expect([attempt(2).state, attempt(3).state]).toEqual(['due', 'failed'])
  expect(
    nextState({ id: 'a', attempts: 1 }, call('http-5xx'), createSchedule([], 5_000)).state,
  ).toBe('failed')
})
