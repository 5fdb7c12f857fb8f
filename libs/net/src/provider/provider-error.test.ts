import { inspect } from 'node:util'
import { expect, test } from '@jest/globals'
import { readProviderError } from './provider-error.ts'

const token = 'ya29.token+/=='
const read = (body: unknown, status = 400) =>
  readProviderError(
    { status, headers: {}, text: typeof body === 'string' ? body : JSON.stringify(body) },
    { maxRetryAfterMs: 86_400_000, token },
  )

test.each([
  [
    'Gmail',
    {
      error: {
        code: 403,
        message: 'User-rate limit exceeded.  Retry after 2099-01-01T00:00:00.000Z',
        errors: [{ reason: 'rateLimitExceeded', domain: 'usageLimits' }],
        status: 'PERMISSION_DENIED',
      },
    },
    { code: 'rateLimitExceeded', retryAfterMs: 86_400_000 },
  ],
  [
    'Pub/Sub',
    { error: { code: 409, message: 'Resource already exists', status: 'ALREADY_EXISTS' } },
    { code: 'ALREADY_EXISTS', message: 'Resource already exists' },
  ],
  [
    'Graph',
    { error: { code: 'ErrorItemNotFound', message: 'Not in the store.', innerError: {} } },
    { code: 'ErrorItemNotFound', message: 'Not in the store.', retryAfterMs: undefined },
  ],
  [
    'Graph without a text',
    { error: { code: 'UnknownError', message: '' } },
    { code: 'UnknownError', message: 'The provider responded with status 400' },
  ],
  [
    'a token endpoint',
    { error: 'invalid_grant', error_description: 'AADSTS700082: expired' },
    { code: 'invalid_grant', message: 'AADSTS700082: expired' },
  ],
])('readProviderError: %s', (_provider, body, expected) =>
  expect(read(body)).toMatchObject({ status: 400, ...expected }),
)

test.each([
  '',
  '<!DOCTYPE html><title>Error 502</title>',
  '{"error":{"code":"Cut","mess',
  'null',
  '[]',
  '"text"',
  '{"error":null}',
  '{"error":{"code":{},"message":[],"errors":{"0":1}}}',
  '{"error":{"errors":[null]}}',
  '[['.repeat(20),
])('readProviderError: %s, has the status only', (body) =>
  expect(read(body, 502)).toMatchObject({
    status: 502,
    code: undefined,
    message: 'The provider responded with status 502',
  }),
)

test('readProviderError: texts without tokens, at most 1,000 characters', () => {
  const error = readProviderError(
    {
      status: 401,
      headers: { location: `https://a.example/?token=${token}` },
      text: JSON.stringify({
        error: {
          code: `x${token}`,
          message: `${token}${token} ${encodeURIComponent(token)} Bearer EwB0A8l6.other ${'y'.repeat(9_999)}`,
        },
      }),
    },
    { maxRetryAfterMs: 1_000, token },
  )
  const shown = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)
  expect(shown).not.toContain('ya29')
  expect(shown).not.toContain('EwB0A8l6')
  expect(error).toMatchObject({ code: 'x***' })
  expect(error.message).toMatch(/^\*\*\*\*\*\* \*\*\* Bearer \*\*\* yyy/)
  expect(error.message).toHaveLength(1_000)
})
