import { expect, test } from '@jest/globals'
import { exportStateOf, progressText } from './export-text.ts'

const progress = {
  foldersScanned: 2,
  foldersTotal: 9,
  messagesExported: 30,
  messagesQueued: 50,
  messagesSkipped: 0,
  bytesWritten: 1,
}

test.each([
  ['indexing', {}, '2 of 9 mailboxes searched'],
  ['exporting', {}, '30 of 50 messages'],
  ['complete', { messagesSkipped: 3 }, '30 of 50 messages, 3 unreadable'],
] as const)('progressText: phase %s with %j', (phase, more, expected) => {
  expect(progressText({ phase, progress: { ...progress, ...more } })).toBe(expected)
})

test('progressText: an export that waits for a worker', () => {
  expect(progressText({ progress })).toBe('not started')
})

test('exportStateOf: unknown states are ignored', () => {
  expect([exportStateOf({ status: 'failed' }), exportStateOf({ status: 'x' })]).toEqual([
    'failed',
    undefined,
  ])
})
