import { expect, test } from '@jest/globals'
import type { Stats } from '@posthorn/contracts/schemas/stats'
import { changedTopics } from './figures.ts'

const none = { waiting: 0, active: 0, delayed: 0, failed: 0 }
const figures = (more: object = {}) =>
  ({
    accounts: 1,
    connections: { connected: 1 },
    queues: { submit: none, notify: none },
    counters: {},
    ...more,
  }) as unknown as Stats

test.each<[string, object, string[]]>([
  ['nothing', {}, []],
  ['API calls', { counters: { 'apiCall:success': 1 } }, []],
  ['the number of accounts', { accounts: 2 }, ['changes']],
  ['states of accounts', { connections: { connected: 0, connecting: 1 } }, ['changes']],
  ['sent messages', { counters: { 'submit:success': 1 } }, ['outbox']],
  ['delivered webhooks', { counters: { 'webhooks:success': 1 } }, ['deliveries']],
  [
    'both queues',
    { queues: { submit: { ...none, failed: 1 }, notify: { ...none, active: 1 } } },
    ['outbox', 'deliveries'],
  ],
])('changedTopics: after a change of %s', (_name, more, topics) => {
  expect(changedTopics(figures(), figures(more))).toEqual(topics)
})

test('changedTopics: the first figures change nothing', () => {
  expect(changedTopics(undefined, figures())).toEqual([])
})
