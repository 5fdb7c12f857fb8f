import type { ReactNode, RefObject } from 'react'
import css from './content.module.css'

/** Content of a page below its title. */
export function PageBody({ lead, children }: { lead?: string; children: ReactNode }) {
  return (
    <div className={css['page']}>
      {lead !== undefined && <p className={css['lead']}>{lead}</p>}
      {children}
    </div>
  )
}

export interface PanelProps {
  title: string
  /** Buttons or links at the right of the panel's title. */
  tools?: ReactNode
  /** Heading of the panel. The heading takes the focus when the focused button is removed. */
  headingRef?: RefObject<HTMLHeadingElement | null>
  children: ReactNode
}

/** Section of a page with a title. */
export function Panel({ title, tools, headingRef, children }: PanelProps) {
  return (
    <section className={css['panel']} aria-label={title}>
      <div className={css['panelHead']}>
        <h2 {...(headingRef && { ref: headingRef, tabIndex: -1 })}>{title}</h2>
        {tools}
      </div>
      {children}
    </section>
  )
}

/** Row of fields that filter a list. `label` names other uses of the fields. */
export function Filters({ label, children }: { label?: string; children: ReactNode }) {
  if (label !== undefined)
    return (
      <div className={css['filters']} role="group" aria-label={label}>
        {children}
      </div>
    )
  return (
    <search className={css['filters']} aria-label="Filters">
      {children}
    </search>
  )
}

/** Columns of equal width beside each other, below each other on narrow screens. */
export function Columns({ children }: { children: ReactNode }) {
  return <div className={css['columns']}>{children}</div>
}

/** List of names with their values. Undefined values are left out. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={css['facts']}>
      {rows
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <FactRow key={name} name={name} value={value} />
        ))}
    </dl>
  )
}

function FactRow({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}

/** List of links, far enough apart for fingers. */
export function LinkList({ children }: { children: ReactNode }) {
  return <ul className={css['links']}>{children}</ul>
}
