import { expect, test } from '@jest/globals'
import { namesIn, pathOf } from './folder-names.ts'

test('pathOf: a slash within a name is %2F', () => {
  expect(pathOf({ path: ['A/B', 'C'] })).toBe('A%2FB/C')
})

test('namesIn: reverses pathOf; labels contain no slash and are taken as they are', () => {
  expect(namesIn('A%2FB/C%2fD', 'folder')).toEqual(['A/B', 'C/D'])
  expect(namesIn('A%2FB/C', 'labels')).toEqual(['A%2FB', 'C'])
})
