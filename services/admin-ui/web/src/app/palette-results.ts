import type { SearchResult } from '../kit/overlays/search-dialog.tsx'
import type { NavigationPage } from './page-list.ts'

/** Account that matches the search text of the command palette. */
export interface FoundAccount {
  account: string
  name: string
  email?: string
}

/** Action that the command palette offers. */
export interface PaletteAction {
  id: string
  label: string
}

/** Pages, actions and accounts among which the command palette searches. */
export interface PaletteContent {
  pages: readonly NavigationPage[]
  actions: readonly PaletteAction[]
  accounts: readonly FoundAccount[]
}

/**
 * Results of the command palette: pages and actions that contain all words of the text, then
 * accounts.
 */
export function paletteResults(
  text: string,
  { pages, actions, accounts }: PaletteContent,
): SearchResult[] {
  const words = text.toLowerCase().split(/\s+/)
  const matches = (label: string) => words.every((word) => label.toLowerCase().includes(word))
  return [
    ...pages
      .filter(({ title }) => matches(title))
      .map(({ path, title }) => ({ id: `page:${path}`, label: title, kind: 'Page' })),
    ...actions
      .filter(({ label }) => matches(label))
      .map(({ id, label }) => ({ id: `action:${id}`, label, kind: 'Action' })),
    ...accounts.map(({ account, name, email }) => ({
      id: `account:${account}`,
      label: [name || account, email].filter(Boolean).join(' · '),
      kind: 'Account',
    })),
  ]
}
