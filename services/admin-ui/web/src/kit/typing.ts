/** Properties of a keyboard event that decide whether a shortcut applies. */
export interface KeyInput {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  target: EventTarget | null
}

const typingPlaces =
  'input:not([type=checkbox]), textarea, select, [role=textbox], [role=dialog], [role=alertdialog], [role=menu]'

/**
 * True if a keyboard event cannot be a shortcut: the focus is in a field, a dialog or a menu, or a
 * modifier key such as Ctrl is pressed.
 */
export function isTyping({ ctrlKey, metaKey, altKey, target }: KeyInput): boolean {
  if (ctrlKey || metaKey || altKey) return true
  const element = target as Partial<HTMLElement> | null
  return element?.closest?.(typingPlaces) != null
}
