import { useEffect, useState } from 'react'
import { useRights } from '../data/session.ts'
import { Button } from '../kit/controls/button.tsx'
import { AppLink, useShownPath } from '../routing/navigation.tsx'
import { type NavigationPage, permittedPages } from './page-list.ts'
import css from './shell.module.css'

/**
 * Navigation of the administration pages, in groups. On narrow screens, a button opens the
 * navigation.
 */
export function NavigationBar() {
  const may = useRights()
  const path = useShownPath()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [path])
  const pages = permittedPages(may)
  const groups = [...new Set(pages.map(({ group }) => group))]
  return (
    <aside className={css['side']} aria-label="Navigation">
      <div className={css['bar']}>
        <AppLink to="/" className={css['brand'] ?? ''}>
          Posthorn
        </AppLink>
        <div className={css['toggle']}>
          <Button onPress={() => setOpen(!isOpen)}>{isOpen ? 'Close menu' : 'Menu'}</Button>
        </div>
      </div>
      <nav aria-label="Pages" className={css['groups']} data-open={isOpen}>
        {groups.map((group) => (
          <Group key={group} title={group} pages={pages.filter((page) => page.group === group)} />
        ))}
      </nav>
    </aside>
  )
}

function Group({ title, pages }: { title: string; pages: readonly NavigationPage[] }) {
  return (
    <div>
      <p className={css['group']}>{title}</p>
      <ul>
        {pages.map((page) => (
          <li key={page.path}>
            <AppLink to={page.path} className={css['link'] ?? ''}>
              {page.title}
            </AppLink>
          </li>
        ))}
      </ul>
    </div>
  )
}
