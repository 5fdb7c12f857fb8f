import { expect, test } from '@jest/globals'
import type { OutboxRow } from '../../store/messages/outbox.ts'
import { describeEntry } from './outbox.ts'

const now = new Date('2030-01-01T00:00:00Z')
const row: OutboxRow = {
  queueId: 'q',
  account: 'a',
  source: 'api',
  state: 'queued',
  messageId: '<x@y>',
  envelope: { from: 'a@b', to: ['c@d'] },
  subject: null,
  gateway: null,
  proxy: null,
  localAddress: null,
  idempotencyKey: null,
  useStructuredFormat: false,
  createdAt: now,
  sendAt: now,
  nextAttemptAt: now,
  attempts: 0,
  maxAttempts: 10,
  dataSentAt: null,
  lastError: null,
  response: null,
  originalMessageId: null,
  networkRouting: null,
  leased: false,
  bouncedAt: null,
}
const lastError = { message: 'no', code: 'EENVELOPE', responseCode: 451 }

test.each<[string, Partial<OutboxRow>, [string, string | false]]>([
  ['that is queued', {}, ['queued', now.toISOString()]],
  ['that is held', { state: 'held' }, ['queued', false]],
  ['with a lease', { leased: true }, ['processing', false]],
  ['with a lease for a retry', { leased: true, lastError }, ['processing', false]],
  ['in handover', { leased: true, dataSentAt: now }, ['smtp-completed', false]],
  ['that waits for a retry', { lastError }, ['error', now.toISOString()]],
  ['that failed', { state: 'failed', lastError }, ['error', false]],
  ['that is sent', { state: 'sent', response: '250 ok', lastError }, ['submitted', false]],
])('describeEntry: a submission %s, reports its status', (_, change, [status, nextAttempt]) => {
  const entry = describeEntry({ ...row, ...change }, { token: null })
  expect(entry).toMatchObject({ nextAttempt, progress: { status } })
  expect(entry.progress.error !== undefined).toBe(status === 'error')
})

test('describeEntry: a failed attempt, reports the error with its network routing', () => {
  const networkRouting = { localAddress: '192.0.2.1' }
  expect(
    describeEntry({ ...row, lastError, networkRouting }, { token: null }).progress.error,
  ).toEqual({
    message: 'no',
    code: 'EENVELOPE',
    statusCode: 451,
    networkRouting,
  })
})

test('describeEntry: a proxy with a password, masks the password', () => {
  const { proxy } = describeEntry(
    { ...row, proxy: 'socks5://me:secret@proxy.example:1080' },
    { token: null },
  )
  expect(proxy).toBe('socks5://me:******@proxy.example:1080')
})
