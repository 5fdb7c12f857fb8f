import { expect, test } from '@jest/globals'
import { type HeaderValues, requestHeaders, warnSkippedHeaders } from './headers.ts'

const values: HeaderValues = {
  id: 'job-1',
  eventId: 'event-1',
  attemptsMade: 0,
  queuedMs: 2_999,
  signature: 'sig',
  standard: { id: 'event-1', timestamp: 1_700_000_000, signature: 'v1,abc v1,def' },
}

test('requestHeaders: sets the headers of the interface spec', () => {
  expect(requestHeaders(values, [])).toEqual({
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': expect.stringMatching(/^Posthorn\/[\w.-]+ \(\+https:\/\/[^() ]+\)$/),
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

test.each([
  ['https://mail.example.com', 'https://mail.example.com/'],
  ['https://müller.example/a(b)', 'https://xn--mller-kva.example/a%28b%29'],
])('requestHeaders: serviceUrl %s, is in the User-Agent', (serviceUrl, shown) => {
  const { headers } = requestHeaders({ ...values, serviceUrl }, [])
  expect(headers['User-Agent']).toMatch(/^Posthorn\/[\w.-]+ \(\+\S+\) \(\+\S+\)$/)
  expect(headers['User-Agent']).toContain(`(+${shown})`)
})

test('requestHeaders: X-SVC-Wh-Queued-Time is never negative', () => {
  expect(requestHeaders({ ...values, queuedMs: -5 }, []).headers['X-SVC-Wh-Queued-Time']).toBe('0s')
})

test('requestHeaders: adds custom headers, the last of a case-insensitive name wins', () => {
  const custom = [{ key: 'X-Team', value: 'a' }, { key: 'x-team', value: 'b' }, { key: 'X-Empty' }]
  expect(requestHeaders(values, custom).headers).toMatchObject({ 'x-team': 'b', 'x-empty': '' })
})

test('requestHeaders: a custom Authorization wins over the credentials of the URL', () => {
  const withLogin = { ...values, authorization: 'Basic abc' }
  expect(requestHeaders(withLogin, []).headers).toMatchObject({ authorization: 'Basic abc' })
  const { headers } = requestHeaders(withLogin, [{ key: 'Authorization', value: 'Bearer x' }])
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
])('requestHeaders: skips the custom header %j: %j', (key, value) => {
  const { headers, skipped } = requestHeaders(values, [{ key, value }])
  expect(skipped).toEqual([key])
  expect(headers).toEqual(requestHeaders(values, []).headers)
})

test('requestHeaders: a header alias adds each webhook header with the same value', () => {
  const withRoute = { ...values, route: 'route-1' }
  const { headers } = requestHeaders({ ...withRoute, headerAlias: 'X-EE-' }, [])
  const suffixes = [
    'Id',
    'Attempts-Made',
    'Queued-Time',
    'Event-Id',
    'Custom-Route',
    'Signature',
  ] as const
  const added = suffixes.map((each) => [`X-EE-Wh-${each}`, headers[`X-SVC-Wh-${each}`]])
  expect(headers).toEqual({
    ...requestHeaders(withRoute, []).headers,
    ...Object.fromEntries(added),
  })
  expect(headers).toMatchObject({ 'X-EE-Wh-Custom-Route': 'route-1', 'X-EE-Wh-Signature': 'sig' })
})

test('requestHeaders: a header alias reserves its webhook headers only', () => {
  const custom = [
    { key: 'x-ee-wh-signature', value: 'forged' },
    { key: 'X-EE-WH-Custom-Route', value: 'forged' },
    { key: 'X-EE-Team', value: 'a' },
  ]
  const { headers, skipped } = requestHeaders({ ...values, headerAlias: 'X-Ee-' }, custom)
  expect(skipped).toEqual(['x-ee-wh-signature', 'X-EE-WH-Custom-Route'])
  expect(Object.keys(headers).filter((name) => /custom-route/i.test(name))).toEqual([])
  expect(headers).toMatchObject({ 'x-ee-team': 'a', 'X-Ee-Wh-Signature': 'sig' })
  expect(requestHeaders(values, custom).skipped).toEqual([])
})

test('warnSkippedHeaders: warns once per target and account', () => {
  const warnings: unknown[] = []
  const warn = warnSkippedHeaders({ warn: (fields: unknown) => void warnings.push(fields) })
  const first = { target: 'default', account: 'a', skipped: ['Host'] }
  const second = { ...first, account: 'b' }
  for (const headers of [first, first, { ...first, skipped: [] }, second, first]) warn(headers)
  expect(warnings).toEqual([first, second])
})
