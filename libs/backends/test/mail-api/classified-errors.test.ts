import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readProviderError } from '@posthorn/net/provider-error'
import { toGmailError } from '../../src/gmail/errors.ts'
import { graphError } from '../../src/graph/graph-error.ts'

// Tests that every error response in the error tables of Gmail and Graph leads to the failure that
// the table names.

interface Row {
  name: string
  status: number
  headers: Record<string, string>
  body: object | string
  expect: { kind: string; code?: string; then: string; retryAfterSeconds?: number }
}

const tables = [
  ['Gmail', '../gmail/fixtures/errors.json', toGmailError],
  ['Graph', '../graph/provider-errors.json', graphError],
] as const

const actions: Readonly<Record<string, readonly string[]>> = {
  wait: ['rate-limited'],
  // `mailbox-disabled`: Gmail sometimes reports a healthy mailbox as disabled.
  retry: ['unavailable', 'mailbox-disabled'],
  'renew-token': ['token-rejected'],
  'resync-folder': ['stale-cursor'],
  'retry-later': ['unavailable', 'unlicensed', 'access-denied', 'mailbox-full'],
  'check-draft': ['unavailable'],
  'retry-get': ['message-missing'],
}
/**
 * Temporary failures of mail providers. Apart from the exceptions, an error response whose action
 * is not in `actions` must not lead to a temporary failure.
 */
const temporary = ['rate-limited', 'unavailable', 'token-rejected', 'stale-cursor']
const exceptions = [
  // The access token had already been renewed before this error response.
  'token-expired-after-renewal',
  'token-empty',
  'token-invalid-after-renewal',
  // Error responses to subscription requests, and to Graph requests that the client never sends.
  'delta-with-expand',
  'subscription-backend',
  'subscription-gone-at-renewal',
]

describe.each(tables)('error responses of %s: classifier', (_provider, file, classify) => {
  const path = join(import.meta.dirname, file)
  const rows = (JSON.parse(readFileSync(path, 'utf8')) as Row[]).filter(
    ({ status }) => status >= 400,
  )
  const read = ({ status, headers, body }: Row) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return readProviderError({ status, headers, text }, { maxRetryAfterMs: 86_400_000 })
  }

  test.each(rows.map((row) => [row.name, row] as const))('%s', (name, row) => {
    const { then, retryAfterSeconds } = row.expect
    const { failure, retryAfterMs } = classify(read(row))
    const expected = actions[then]
    if (expected) expect(expected).toContain(failure)
    else if (!exceptions.includes(name)) expect(temporary).not.toContain(failure)
    if (retryAfterSeconds !== undefined) expect(retryAfterMs).toBe(retryAfterSeconds * 1_000)
  })

  test('limits of the application are recognised, and no others', () => {
    const isShared = (row: Row) => read(row).isApplicationLimit
    expect(rows.filter(isShared).map(({ name }) => name)).toEqual(
      file.includes('gmail') ? ['details-rate-limit-project'] : ['application-throttled'],
    )
  })
})
