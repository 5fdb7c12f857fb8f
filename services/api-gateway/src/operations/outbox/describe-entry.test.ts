import { expect, test } from '@jest/globals'
import type { OutboxRow } from '../../store/outbox-entries.ts'
import { describeEntry } from './describe-entry.ts'

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
}
const lastError = { message: 'no', code: 'EENVELOPE', responseCode: 451 }

test.each<[string, Partial<OutboxRow>, [string, string | false]]>([
  ['waits', {}, ['queued', now.toISOString()]],
  ['is held', { state: 'held' }, ['queued', false]],
  ['is in hand', { leased: true }, ['processing', false]],
  ['is in hand again', { leased: true, lastError }, ['processing', false]],
  ['is handed over', { leased: true, dataSentAt: now }, ['smtp-completed', false]],
  ['waits for another attempt', { lastError }, ['error', now.toISOString()]],
  ['has failed', { state: 'failed', lastError }, ['error', false]],
  ['is sent', { state: 'sent', response: '250 ok', lastError }, ['submitted', false]],
])('a message that %s', (_, change, [status, nextAttempt]) => {
  const entry = describeEntry({ ...row, ...change })
  expect(entry).toMatchObject({ nextAttempt, progress: { status } })
  expect(entry.progress.error !== undefined).toBe(status === 'error')
})

test('an error is told with the way the attempt went', () => {
  const networkRouting = { localAddress: '192.0.2.1' }
  expect(describeEntry({ ...row, lastError, networkRouting }).progress.error).toEqual({
    message: 'no',
    code: 'EENVELOPE',
    statusCode: 451,
    networkRouting,
  })
})

test('the password of a proxy is not told', () => {
  const { proxy } = describeEntry({ ...row, proxy: 'socks5://me:secret@proxy.example:1080' })
  expect(proxy).toBe('socks5://me:******@proxy.example:1080')
})
