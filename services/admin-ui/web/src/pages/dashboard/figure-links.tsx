import { AppLink } from '../../routing/navigation.tsx'
import css from './dashboard.module.css'
import type { Figure } from './figures.ts'

/** Numbers of the dashboard, each a link to the list of what it counts. */
export function FigureLinks({ figures }: { figures: readonly Figure[] }) {
  return (
    <ul className={css['figures']}>
      {figures.map((figure) => (
        <li key={figure.label}>
          <FigureLink {...figure} />
        </li>
      ))}
    </ul>
  )
}

function FigureLink({ label, value, tone, path, query }: Figure) {
  return (
    <AppLink to={path} query={query} className={css['figure'] ?? ''} tone={tone}>
      <span className={css['value']}>{value.toLocaleString('en')}</span>
      <span>{label}</span>
    </AppLink>
  )
}
