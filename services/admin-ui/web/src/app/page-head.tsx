import { useLayoutEffect, useRef, useState } from 'react'
import { useSignedIn } from '../data/session.ts'
import { Button } from '../kit/controls/button.tsx'
import { MenuButton } from '../kit/overlays/menu-button.tsx'
import { AppLink, useNavigate, useShownPath } from '../routing/navigation.tsx'
import { crumbsOf, documentTitle } from './page-list.ts'
import css from './shell.module.css'
import { applyTheme, readTheme, type Theme, themes } from './theme.ts'

/**
 * Sets the title of the browser tab, and moves the focus to the content, when another page is
 * shown.
 */
export function usePageChange(): void {
  const path = useShownPath()
  const last = useRef(path)
  // A layout effect moves the focus before fields of the new page take it, and before a person can.
  useLayoutEffect(() => {
    document.title = documentTitle(path)
    if (last.current !== path) document.querySelector<HTMLElement>('main')?.focus()
    last.current = path
  }, [path])
}

export interface PageHeadProps {
  openPalette: () => void
  signOut: () => void
}

/**
 * Head of each administration page: the path to the page, the command palette, and the menus of the
 * person.
 */
export function PageHead({ openPalette, signOut }: PageHeadProps) {
  const path = useShownPath()
  const crumbs = crumbsOf(path)
  const title = crumbs.at(-1)?.title
  return (
    <header className={css['head']}>
      <div className={css['crumbs']}>
        {crumbs.slice(0, -1).map((crumb) => (
          <span key={crumb.title}>
            <AppLink to={crumb.path ?? '/'}>{crumb.title}</AppLink> /
          </span>
        ))}
        <h1>{title}</h1>
      </div>
      <div className={css['tools']}>
        <Button kind="plain" onPress={openPalette}>
          Search
        </Button>
        <ThemeMenu />
        <PersonMenu signOut={signOut} />
      </div>
    </header>
  )
}

const themeTexts: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
}

function ThemeMenu() {
  const [chosen, setChosen] = useState(() => readTheme(() => localStorage))
  const choose = (theme: Theme) => {
    applyTheme(theme)
    setChosen(theme)
  }
  const entries = themes.map((theme) => ({
    id: theme,
    label: themeTexts[theme],
    isChosen: theme === chosen,
    onChoose: () => choose(theme),
  }))
  return <MenuButton label="Theme" entries={entries} />
}

function PersonMenu({ signOut }: Pick<PageHeadProps, 'signOut'>) {
  const { person } = useSignedIn()
  const navigate = useNavigate()
  const entries = [
    { id: 'profile', label: 'Your profile', onChoose: () => navigate({ to: '/profile' }) },
    { id: 'sign-out', label: 'Sign out', onChoose: signOut },
  ]
  return <MenuButton label={person.name || person.email} entries={entries} />
}
