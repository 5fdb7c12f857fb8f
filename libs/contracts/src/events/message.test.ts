import { expect, test } from '@jest/globals'
import { matches } from '../validate.ts'
import { events } from './index.ts'

const id = 'AAkALg-_x='.repeat(20)
const entry = { id, emailId: id, threadId: 't', path: '\\All', flags: [], preview: 'Hello' }
const flags = { added: ['\\Seen'], removed: [], value: ['\\Seen'] }

test.each([
  ['messageNew', { ...entry, seemsLikeNew: true }],
  ['messageDeleted', { id, threadId: 't', flags: [], labels: ['Work'], category: 'social' }],
  ['messageUpdated', { id, changes: { flags } }],
  ['messageMissing', { id, missingRetries: 6, missingDelay: 61_000 }],
  ['mailboxReset', { path: 'A', name: 'A', specialUse: false }],
] as const)('%s: of an account on a mail API, needs no uid or uidValidity', (name, data) => {
  const reason = name === 'mailboxReset' ? { reason: 'syncStateLost' } : {}
  expect(matches(events[name].data, { ...data, ...reason })).toBe(true)
})

test('messageDeleted: the last known category is one of Gmail', () => {
  expect(matches(events.messageDeleted.data, { id, category: 'other' })).toBe(false)
})
