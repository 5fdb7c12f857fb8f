/** Properties of a keyboard event that decide whether a shortcut applies. */
export interface KeyInput {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  target: EventTarget | null
}

/**
 * True if a keyboard event cannot be a shortcut: the person types into a field, presses Ctrl, or a
 * dialog is open.
 */
export function isTyping({ ctrlKey, metaKey, altKey, target }: KeyInput): boolean {
  if (ctrlKey || metaKey || altKey) return true
  const element = target as Partial<HTMLElement> | null
  return element?.closest?.('input:not([type=checkbox]), textarea, select, [role=dialog]') != null
}
