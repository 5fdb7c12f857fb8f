/** Choices of the theme. `system` follows the setting of the operating system. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const storageKey = 'posthorn-theme'

/** Reads the stored theme. A browser that blocks the storage has the theme of the system. */
export function readTheme(storage: () => Pick<Storage, 'getItem'>): Theme {
  try {
    const stored = storage().getItem(storageKey)
    return themes.find((theme) => theme === stored) ?? 'system'
  } catch {
    return 'system'
  }
}

/** Applies a theme to the document, and stores the theme if the browser allows it. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  try {
    localStorage.setItem(storageKey, theme)
  } catch {
    // The theme lasts until the page is loaded again.
  }
}
