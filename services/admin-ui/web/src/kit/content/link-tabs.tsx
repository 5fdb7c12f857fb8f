import { AppLink } from '../../routing/navigation.tsx'
import css from './content.module.css'

/** Link to one of several sub-pages about the same subject, such as an account. */
export interface LinkTab {
  title: string
  to: string
}

export interface LinkTabsProps {
  label: string
  tabs: readonly LinkTab[]
  /** Parameters in the paths of all tabs. */
  params: Readonly<Record<string, string>>
}

/** Row of links to the sub-pages about the same subject, each with an address of its own. */
export function LinkTabs({ label, tabs, params }: LinkTabsProps) {
  return (
    <nav aria-label={label} className={css['tabs']}>
      {tabs.map(({ title, to }, index) => (
        <AppLink key={to} to={to} params={params} isExact={index === 0}>
          {title}
        </AppLink>
      ))}
    </nav>
  )
}
