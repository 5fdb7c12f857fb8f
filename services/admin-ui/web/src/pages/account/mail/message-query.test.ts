import { expect, test } from '@jest/globals'
import {
  addressText,
  listQuery,
  searchOf,
  selectionOf,
  subjectText,
  viewOfMessage,
  viewsOf,
} from './message-query.ts'

test.each([
  [{}, undefined],
  [{ text: 'invoice' }, { subject: 'invoice' }],
  [
    { text: 'anna', field: 'from', state: 'unread' },
    { from: 'anna', unseen: true },
  ],
  [{ text: 'x', field: 'header' }, { subject: 'x' }],
  [{ state: 'flagged' }, { flagged: true }],
  [{ state: 'unknown' }, undefined],
])('searchOf: %j is %j', (query, expected) => {
  expect(searchOf(query)).toEqual(expected)
})

test('selectionOf: UIDs for IMAP, permanent ids otherwise', () => {
  expect(
    selectionOf([
      { id: 'A', uid: 7 },
      { id: 'B', uid: 9 },
    ]),
  ).toEqual({ uid: '7,9' })
  expect(selectionOf([{ id: 'A' }, { id: 'B' }])).toEqual({ emailIds: ['A', 'B'] })
})

test.each([
  [{ name: 'Anna', address: 'a@example.com' }, 'Anna <a@example.com>'],
  [{ name: 'a@example.com', address: 'a@example.com' }, 'a@example.com'],
  [{ name: 'Anna' }, 'Anna'],
  [undefined, ''],
])('addressText: %j is %s', (address, expected) => {
  expect(addressText(address)).toBe(expected)
})

test('subjectText: a missing or blank subject has a text, so that its link can be activated', () => {
  expect([subjectText({ subject: ' ' }), subjectText({ subject: 'a' })]).toEqual([
    '(no subject)',
    'a',
  ])
})

const text = (plain: string | undefined, html: number | undefined) => ({
  text: {
    id: 't',
    encodedSize: { ...(html !== undefined && { html }) },
    ...(plain !== undefined && { plain }),
  },
})

test('viewOfMessage: plain text first, HTML if there is nothing else or on request', () => {
  expect(viewOfMessage({}, text('a', 10))).toBe('text')
  expect(viewOfMessage({}, text(undefined, 10))).toBe('html')
  expect(viewOfMessage({}, text(undefined, undefined))).toBe('text')
  expect(viewOfMessage({ view: 'html' }, text('a', 10))).toBe('html')
  expect(viewOfMessage({ view: 'html' }, text('a', undefined))).toBe('text')
  expect(viewOfMessage({ view: 'headers' }, text('a', 10))).toBe('headers')
  expect(viewsOf(text('a', undefined))).toEqual(['text', 'headers'])
})

test('listQuery: keeps the list, and leaves out the form in which a message is shown', () => {
  expect(listQuery({ path: 'INBOX', page: '2', view: 'html', images: 'remote' })).toMatchObject({
    path: 'INBOX',
    page: '2',
  })
  expect(listQuery({ view: 'html' })).not.toHaveProperty('view')
})
