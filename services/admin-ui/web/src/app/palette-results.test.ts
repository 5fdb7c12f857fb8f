import { expect, test } from '@jest/globals'
import { navigationPages } from './page-list.ts'
import { paletteResults } from './palette-results.ts'

const content = {
  pages: navigationPages,
  actions: [{ id: 'add', label: 'Add an account' }],
  accounts: [{ account: 'anna', name: 'Anna', email: 'anna@example.com' }],
}

test('paletteResults: pages and actions with all words, and the accounts of the server', () => {
  expect(paletteResults('ACC', content)).toEqual([
    { id: 'page:/accounts', label: 'Accounts', kind: 'Page' },
    { id: 'action:add', label: 'Add an account', kind: 'Action' },
    { id: 'account:anna', label: 'Anna · anna@example.com', kind: 'Account' },
  ])
  expect(paletteResults('log audit', { ...content, accounts: [] })).toMatchObject([
    { id: 'page:/audit' },
  ])
})

test('paletteResults: without a text, all pages and actions', () => {
  expect(paletteResults('', { ...content, accounts: [] })).toHaveLength(navigationPages.length + 1)
})
