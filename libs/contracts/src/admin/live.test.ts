import { expect, test } from '@jest/globals'
import { liveTopics, mayFollow, parseLiveTopics } from './live.ts'

test.each([
  ['changes', ['changes']],
  ['outbox,changes,outbox', ['changes', 'outbox']],
  [liveTopics.join(), liveTopics],
])('parseLiveTopics: %s, returns the topics once', (text, topics) => {
  expect([...(parseLiveTopics(text) ?? [])]).toEqual(topics)
})

test.each(['', 'changes,', 'CHANGES', 'changes,mail', 'constructor'])(
  'parseLiveTopics: %j, returns undefined',
  (text) => {
    expect(parseLiveTopics(text)).toBeUndefined()
  },
)

test('mayFollow: support follows everything except workers', () => {
  expect(liveTopics.filter((topic) => mayFollow('support', topic))).toEqual([
    'changes',
    'figures',
    'outbox',
    'deliveries',
  ])
  expect(liveTopics.filter((topic) => mayFollow('auditor', topic))).toEqual(liveTopics)
})
