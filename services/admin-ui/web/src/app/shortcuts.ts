import { isTyping, type KeyInput } from '../kit/typing.ts'
import { navigationPages } from './page-list.ts'

/** Action of a shortcut of the whole application. */
export type Shortcut =
  | { kind: 'palette' }
  | { kind: 'search' }
  | { kind: 'help' }
  /** `g` was pressed: the next letter opens a page. */
  | { kind: 'prefix' }
  | { kind: 'page'; path: string }

/** Time within which the letter must follow `g`. */
export const prefixMs = 1_500

/** Finds the action of a key. `afterPrefix` is true if the key follows `g`. */
export function shortcutOf(input: KeyInput, afterPrefix: boolean): Shortcut | undefined {
  const { key, ctrlKey, metaKey } = input
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') return { kind: 'palette' }
  if (isTyping(input)) return undefined
  if (afterPrefix) {
    const page = navigationPages.find(({ letter }) => letter === key)
    return page && { kind: 'page', path: page.path }
  }
  if (key === '/') return { kind: 'search' }
  if (key === '?') return { kind: 'help' }
  return key === 'g' ? { kind: 'prefix' } : undefined
}

/** Shortcuts as the help shows them. */
export const shortcutHelp: readonly (readonly [keys: string, meaning: string])[] = [
  ['Ctrl K', 'Find a page, an account or an action'],
  ['/', 'Go to the search field of the page'],
  ['j, k', 'Next row, previous row'],
  ['x', 'Select the row'],
  ['Enter', 'Open the row'],
  ...navigationPages.map(({ letter, title }): readonly [string, string] => [
    `g ${letter}`,
    `Open ${title}`,
  ]),
  ['?', 'Show this list'],
]
