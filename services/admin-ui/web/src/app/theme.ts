/**
 * Themes of the pages from which a person can choose. `system` follows the setting of the operating
 * system.
 */
export const themes = ['system', 'light', 'dark'] as const
/** Theme of the pages that a person has chosen. */
export type Theme = (typeof themes)[number]

const storageKey = 'posthorn-theme'

/**
 * Reads the stored theme of the pages. If the browser blocks the storage, the theme is `system`.
 */
export function readTheme(storage: () => Pick<Storage, 'getItem'>): Theme {
  try {
    const stored = storage().getItem(storageKey)
    return themes.find((theme) => theme === stored) ?? 'system'
  } catch {
    return 'system'
  }
}

/** Applies a theme to the pages, and stores the theme if the browser allows it. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  try {
    localStorage.setItem(storageKey, theme)
  } catch {
    // A theme that cannot be stored lasts until the page is loaded again.
  }
}
