import { expect, test } from '@jest/globals'
import type { CallResult, Outcome } from '@posthorn/net'
import { settle } from './settle.ts'

const call = (outcome: Outcome, more: Partial<CallResult> = {}): CallResult => ({
  outcome,
  headers: {},
  body: Buffer.alloc(0),
  durationMs: 1,
  ...more,
})

test('a 2xx ends the delivery', () => {
  expect(settle({ id: 'a', attempts: 1 }, call('2xx', { status: 204 }), 5_000)).toMatchObject({
    state: 'delivered',
    outcome: '2xx',
    status: 204,
  })
})

test.each<Outcome>([
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
])('%s is tried again, until the tenth attempt', (outcome) => {
  const first = settle({ id: 'a', attempts: 1 }, call(outcome), 5_000)
  expect(first).toMatchObject({ state: 'due', outcome, uncounted: false })
  expect(first.waitMs).toBeGreaterThanOrEqual(4_000)
  expect(first.waitMs).toBeLessThanOrEqual(5_000)
  expect(settle({ id: 'a', attempts: 9 }, call(outcome), 5_000)).toMatchObject({ state: 'due' })
  expect(settle({ id: 'a', attempts: 10 }, call(outcome), 5_000)).toMatchObject({
    state: 'failed',
    outcome,
  })
})

test.each<Outcome>(['redirect-refused', 'egress-blocked'])('%s is final at once', (outcome) => {
  expect(settle({ id: 'a', attempts: 1 }, call(outcome), 5_000)).toMatchObject({
    state: 'failed',
    outcome,
  })
})

test('what we cut off ourselves does not count', () => {
  expect(settle({ id: 'a', attempts: 10 }, call('aborted'), 5_000)).toMatchObject({
    state: 'due',
    uncounted: true,
    waitMs: 0,
    outcome: null,
  })
})

test('of the answer a bounded text is kept that Postgres can hold', () => {
  const body = Buffer.concat([
    Buffer.from('no\0\u{1F4A3}'),
    Buffer.from([0xff, 0xfe]),
    Buffer.alloc(10_000, 'x'),
  ])
  const { response, error } = settle(
    { id: 'a', attempts: 1 },
    call('http-5xx', { status: 500, body, error: 'bad\0' }),
    5_000,
  )
  expect(response?.startsWith('no\u{1F4A3}\uFFFD\uFFFDxxx')).toBe(true)
  expect(response).toHaveLength(2_000)
  expect(error).toBe('bad')
})
