import { expect, test } from '@jest/globals'
import { type HeaderFacts, requestHeaders } from './headers.ts'
import { warnSkippedHeaders } from './skipped-headers.ts'

const facts: HeaderFacts = {
  id: 'job-1',
  eventId: 'event-1',
  attemptsMade: 0,
  queuedMs: 2_999,
  signature: 'sig',
  standard: { id: 'event-1', timestamp: 1_700_000_000, signature: 'v1,abc v1,def' },
}

test('the headers of the interface spec', () => {
  expect(requestHeaders(facts, [])).toEqual({
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': expect.stringMatching(/^Posthorn\/\d+\.\d+\.\d+ \(\+https:\/\/\S+\)$/),
      'X-SVC-Wh-Id': 'job-1',
      'X-SVC-Wh-Attempts-Made': '0',
      'X-SVC-Wh-Queued-Time': '2s',
      'X-SVC-Wh-Event-Id': 'event-1',
      'X-SVC-Wh-Signature': 'sig',
      'webhook-id': 'event-1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': 'v1,abc v1,def',
    },
    skipped: [],
  })
})

test('a clock that is behind makes no negative time', () => {
  expect(requestHeaders({ ...facts, queuedMs: -5 }, []).headers['X-SVC-Wh-Queued-Time']).toBe('0s')
})

test('custom headers are added; of two with one name the later wins, in any case', () => {
  const custom = [{ key: 'X-Team', value: 'a' }, { key: 'x-team', value: 'b' }, { key: 'X-Empty' }]
  expect(requestHeaders(facts, custom).headers).toMatchObject({ 'x-team': 'b', 'x-empty': '' })
})

test('a custom Authorization wins over the credentials of the address', () => {
  const given = { ...facts, authorization: 'Basic abc' }
  expect(requestHeaders(given, []).headers).toMatchObject({ authorization: 'Basic abc' })
  const { headers } = requestHeaders(given, [{ key: 'Authorization', value: 'Bearer x' }])
  expect(headers['authorization']).toBe('Bearer x')
})

test.each([
  ['X-SVC-Wh-Signature', 'forged'],
  ['x-svc-wh-id', '1'],
  ['X-SVC-Anything', '1'],
  ['Webhook-Signature', 'v1,forged'],
  ['webhook-id', '1'],
  ['webhook-timestamp', '1'],
  ['Content-Length', '0'],
  ['Host', 'other.example'],
  ['Transfer-Encoding', 'chunked'],
  ['Connection', 'close'],
  ['Content-Type', 'text/plain'],
  ['User-Agent', 'other'],
  ['Proxy-Authorization', 'Basic x'],
  ['X-Break', 'a\r\nX-Injected: b'],
  ['X-Nul', 'a\0b'],
  ['X-Wide', '✓'],
  ['X Space', 'a'],
  ['', 'a'],
  ['__proto__', 'a'],
])('the custom header %j: %j is skipped', (key, value) => {
  const { headers, skipped } = requestHeaders(facts, [{ key, value }])
  expect(skipped).toEqual([key])
  expect(headers).toEqual(requestHeaders(facts, []).headers)
})

test('headers that are skipped at every attempt are told of once', () => {
  const told: unknown[] = []
  const tell = warnSkippedHeaders({ warn: (said: unknown) => void told.push(said) })
  const first = { target: 'default', account: 'a', skipped: ['Host'] }
  const second = { ...first, account: 'b' }
  for (const found of [first, first, { ...first, skipped: [] }, second, first]) tell(found)
  expect(told).toEqual([first, second])
})
