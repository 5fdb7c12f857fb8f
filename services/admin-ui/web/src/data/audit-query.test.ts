import { expect, test } from '@jest/globals'
import { formatAuditQuery } from './audit-query.ts'

test('formatAuditQuery: known filters only, times in UTC', () => {
  const query = { person: 'anna', account: '', from: '2026-03-01T10:00+02:00', to: 'x', other: '1' }
  expect(formatAuditQuery(query)).toEqual({ person: 'anna', from: '2026-03-01T08:00:00.000Z' })
})
