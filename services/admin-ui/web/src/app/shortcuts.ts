import { isTyping, type KeyInput } from '../kit/typing.ts'
import { navigationPages } from './page-list.ts'

/** Keyboard shortcut that works on all administration pages. */
export type Shortcut =
  | { kind: 'palette' }
  | { kind: 'search' }
  | { kind: 'help' }
  /** Shortcut for a pressed `g`: the next letter opens a page. */
  | { kind: 'prefix' }
  | { kind: 'page'; path: string }

/** Milliseconds within which a letter must follow `g` to open a page. */
export const prefixMs = 1_500

/** Finds the shortcut of a pressed key. `afterPrefix` is true if the key follows `g`. */
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

/** Keys of the keyboard shortcuts and their meanings, as the help dialog shows them. */
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
