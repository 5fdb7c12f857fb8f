import type { ReactNode, RefObject } from 'react'
import css from '../content/content.module.css'

export interface ListRegionProps {
  label: string
  /** Element that takes the focus when the panel of a selection is removed. */
  regionRef: RefObject<HTMLElement | null>
  children: ReactNode
}

/** Region of a page with the selection, the jobs and the entries of a list. */
export function ListRegion({ label, regionRef, children }: ListRegionProps) {
  return (
    <section className={css['page']} ref={regionRef} tabIndex={-1} aria-label={label}>
      {children}
    </section>
  )
}
