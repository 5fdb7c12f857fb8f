import { useEffect, useRef } from 'react'
import { useNavigate } from '../routing/navigation.tsx'
import { prefixMs, type Shortcut, shortcutOf } from './shortcuts.ts'

/** Functions that keyboard shortcuts call on every page. */
export interface ShortcutActions {
  openPalette: () => void
  openHelp: () => void
}

/** Runs the keyboard shortcuts that work on all administration pages. */
export function useShortcuts({ openPalette, openHelp }: ShortcutActions): void {
  const navigate = useNavigate()
  const run = useRef<(shortcut: Shortcut) => void>(undefined)
  run.current = (shortcut) => {
    if (shortcut.kind === 'palette') openPalette()
    else if (shortcut.kind === 'help') openHelp()
    else if (shortcut.kind === 'page') navigate({ to: shortcut.path })
    else if (shortcut.kind === 'search')
      document.querySelector<HTMLElement>('[data-page-search]')?.focus()
  }
  useEffect(() => {
    let prefixAt = -prefixMs
    const onKey = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event, event.timeStamp - prefixAt < prefixMs)
      prefixAt = shortcut?.kind === 'prefix' ? event.timeStamp : -prefixMs
      if (!shortcut) return
      event.preventDefault()
      run.current?.(shortcut)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
