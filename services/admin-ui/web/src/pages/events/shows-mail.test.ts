import { expect, test } from '@jest/globals'
import type { Session } from '../../data/admin-types.ts'
import { showsMail } from './shows-mail.ts'

const now = new Date('2030-01-31T08:00:00Z')
const person = (mayReadMail: boolean) => ({ mayReadMail }) as Session['person']

test.each([
  [true, { until: '2030-01-31T08:00:01Z' }, true],
  [true, { until: '2030-01-31T08:00:00Z' }, false],
  [true, {}, false],
  [false, { until: '2030-01-31T08:00:01Z' }, false],
])('showsMail: permitted %s, active %j: %s', (mayReadMail, mailReading, expected) => {
  expect(showsMail({ person: person(mayReadMail), mailReading }, now)).toBe(expected)
})
