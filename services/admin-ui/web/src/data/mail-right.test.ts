import { expect, test } from '@jest/globals'
import type { Session } from './admin-types.ts'
import { mailRightOf } from './mail-right.ts'

const now = new Date('2026-01-01T12:00:00Z')
const session = (mayReadMail: boolean, until?: string) =>
  ({
    person: { mayReadMail },
    mailReading: until === undefined ? {} : { until },
  }) as unknown as Session

test.each([
  [false, undefined, 'never'],
  [false, '2026-01-01T12:10:00Z', 'never'],
  [true, undefined, 'inactive'],
  [true, '2026-01-01T11:59:00Z', 'inactive'],
  [true, '2026-01-01T12:10:00Z', 'active'],
] as const)('mailRightOf: permitted %j, until %s, is %s', (mayReadMail, until, expected) => {
  expect(mailRightOf(session(mayReadMail, until), now)).toBe(expected)
})
