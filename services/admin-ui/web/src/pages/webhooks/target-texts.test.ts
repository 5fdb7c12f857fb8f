import { expect, test } from '@jest/globals'
import type { Target, TargetTest } from '../../data/webhooks/targets.ts'
import { durationText, hourText, responseText, stateOfTarget, testText } from './target-texts.ts'

const lastResponse: NonNullable<Target['lastResponse']> = {
  delivery: 'd',
  at: '2026-03-01T12:00:00.000Z',
  durationMs: 12,
  outcome: 'http-5xx',
  status: 503,
  error: null,
  response: 'out of\n  order',
}
const target: Target = {
  address: 'https://a.example/',
  isDefault: false,
  paused: false,
  due: 0,
  oldestDueAt: null,
  failed: 0,
  lastHour: { delivered: 1_200, failed: 0, retried: 2, p95Ms: 240 },
  lastResponse,
}

test.each<[Partial<Target>, string]>([
  [{ paused: true }, 'paused'],
  [{ lastResponse: null }, 'unused'],
  [{ lastResponse: { ...lastResponse, outcome: '2xx', status: 200 } }, 'responds'],
  [{}, 'fails'],
])('stateOfTarget: %j, %s', (change, text) => {
  expect(stateOfTarget({ ...target, ...change }).text).toBe(text)
})

test('hourText: leaves out zeros', () => {
  expect(hourText(target)).toBe('1,200 delivered, 2 retried')
  const none = { delivered: 0, failed: 0, retried: 0, p95Ms: null }
  expect(hourText({ lastHour: none })).toBe('none')
})

test.each([
  [null, '–'],
  [240, '240 ms'],
  [1_234, '1.2 s'],
])('durationText: %s, %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test('responseText: status, outcome, error and the beginning of the body in one line', () => {
  expect(responseText(target)).toBe('503 · http-5xx · out of order')
  const silent = {
    ...lastResponse,
    status: null,
    outcome: 'dns',
    error: 'ENOTFOUND',
    response: null,
  }
  expect(responseText({ lastResponse: silent })).toBe('dns · ENOTFOUND')
  const long = responseText({ lastResponse: { ...lastResponse, response: 'x'.repeat(500) } })
  expect(long).toHaveLength('503 · http-5xx · '.length + 121)
  expect(responseText({ lastResponse: null })).toBe('none')
})

test('testText: response, or the reason without a response', () => {
  const result: TargetTest = {
    success: true,
    address: 'https://a.example/',
    eventId: 'e',
    outcome: '2xx',
    status: 200,
    response: '',
    skippedHeaders: [],
    durationMs: 12,
  }
  expect(testText(result)).toBe(
    'https://a.example/ responded with the status 200 after 12 ms. The target works.',
  )
  const { status: _status, ...silent } = result
  expect(testText({ ...silent, success: false, outcome: 'dns' })).toBe(
    'https://a.example/ did not respond (dns) after 12 ms. The target does not accept webhooks.',
  )
})
