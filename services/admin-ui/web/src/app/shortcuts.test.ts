import { expect, test } from '@jest/globals'
import { shortcutOf } from './shortcuts.ts'

const pressed = (key: string, more = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  target: null,
  ...more,
})
/** Element of the page that is inside of a text field. */
const field = { closest: () => ({}) } as unknown as EventTarget

test.each([
  [pressed('k', { ctrlKey: true }), false, { kind: 'palette' }],
  [pressed('K', { metaKey: true, target: field }), false, { kind: 'palette' }],
  [pressed('/'), false, { kind: 'search' }],
  [pressed('?'), false, { kind: 'help' }],
  [pressed('g'), false, { kind: 'prefix' }],
  [pressed('a'), true, { kind: 'page', path: '/accounts' }],
  [pressed('a'), false, undefined],
  [pressed('/', { target: field }), false, undefined],
  [pressed('a', { target: field }), true, undefined],
  [pressed('g', { altKey: true }), false, undefined],
])('shortcutOf: %j after g: %p is %j', (input, afterPrefix, expected) => {
  expect(shortcutOf(input, afterPrefix)).toEqual(expected)
})
