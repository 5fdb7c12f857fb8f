import type { ReactNode } from 'react'
import css from './entry.module.css'

/** Frame of the sign-in page and the other pages that need no session. */
export function EntryCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <div className={css['head']}>
        <p className={css['brand']}>Posthorn</p>
        <h1>{title}</h1>
      </div>
      <div className={css['card']}>{children}</div>
    </>
  )
}
