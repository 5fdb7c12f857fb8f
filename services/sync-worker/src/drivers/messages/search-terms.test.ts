import { expect, test } from '@jest/globals'
import { toSearchTerms } from './search-terms.ts'

test('toSearchTerms: converts dates and mod-sequences and keeps other terms', () => {
  expect(
    toSearchTerms({
      unseen: true,
      subject: 'Grüße',
      modseq: 7,
      since: '2024-02-29',
      sentBefore: '2024-03-01T10:00:00+02:00',
      header: { 'List-Id': true },
      labels: { has: ['a'] },
    }),
  ).toEqual({
    unseen: true,
    subject: 'Grüße',
    modseq: 7n,
    since: new Date('2024-02-29T00:00:00Z'),
    sentBefore: new Date('2024-03-01T08:00:00Z'),
    header: { 'List-Id': true },
    labels: { has: ['a'] },
  })
  expect(toSearchTerms({})).toEqual({})
})
