import { expect, test } from '@jest/globals'
import { findUnknownPath, namesIn, pathOf, selectFolders } from './folder-names.ts'

test('pathOf: a slash within a name is %2F', () => {
  expect(pathOf({ path: ['A/B', 'C'] })).toBe('A%2FB/C')
})

test('namesIn: reverses pathOf; labels contain no slash and are taken as they are', () => {
  expect(namesIn('A%2FB/C%2fD', 'folder')).toEqual(['A/B', 'C/D'])
  expect(namesIn('A%2FB/C', 'labels')).toEqual(['A%2FB', 'C'])
})

const folders = [
  { id: 'i', path: ['Posteingang'], specialUse: '\\Inbox' },
  { id: 'c', path: ['Posteingang', 'Child'] },
  { id: 's', path: ['Gesendet'], specialUse: '\\Sent' },
  { id: 'w', path: ['A/B'] },
]

test.each([
  [['INBOX'], ['i']],
  [['inbox/Child'], ['c']],
  [
    ['\\inbox', '\\SENT'],
    ['i', 's'],
  ],
  [
    ['A%2FB', 'Posteingang'],
    ['i', 'w'],
  ],
  [['Child', 'inbox/child', 'posteingang'], []],
  [[], ['i', 'c', 's', 'w']],
])('selectFolders: %j selects %j', (paths, ids) => {
  expect(selectFolders('folder', folders, paths).map(({ id }) => id)).toEqual(ids)
  expect(selectFolders('labels', folders, paths)).toEqual(folders)
})

test('selectFolders: a folder with the name of the inbox goes before the inbox', () => {
  const named = [...folders, { id: 'n', path: ['INBOX'] }]
  expect(selectFolders('folder', named, ['INBOX'])).toEqual([{ id: 'n', path: ['INBOX'] }])
  expect(selectFolders('folder', named, ['Inbox'])).toEqual([folders[0]])
})

test('findUnknownPath: the first path that names no folder; none with labels', () => {
  expect(findUnknownPath('folder', folders, ['INBOX', 'Gesendet'])).toBeUndefined()
  expect(findUnknownPath('folder', folders, ['INBOX', 'inbox/x', '\\Junk'])).toBe('inbox/x')
  expect(findUnknownPath('labels', folders, ['x'])).toBeUndefined()
})
