import { expect, test } from '@jest/globals'
import { crumbsOf, documentTitle, navigationPages } from './page-list.ts'

test('navigation: each page has its own path and letter', () => {
  expect(new Set(navigationPages.map(({ path }) => path)).size).toBe(navigationPages.length)
  expect(new Set(navigationPages.map(({ letter }) => letter)).size).toBe(navigationPages.length)
})

test.each([
  ['/', 'Dashboard · Posthorn'],
  ['/accounts/add', 'Add an account · Accounts · Posthorn'],
  ['/accounts/anna%2Fb', 'anna/b · Accounts · Posthorn'],
  ['/sign-in', 'Sign in · Posthorn'],
  ['/nothing', 'Page not found · Posthorn'],
])('documentTitle: of %s is %s', (path, expected) => {
  expect(documentTitle(path)).toBe(expected)
})

test('crumbsOf: the steps before the page have paths', () => {
  expect(crumbsOf('/accounts/anna')).toEqual([
    { title: 'Accounts', path: '/accounts' },
    { title: 'anna' },
  ])
})
