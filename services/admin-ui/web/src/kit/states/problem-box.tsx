import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import css from './states.module.css'

/** Box for a problem that is not the error of a call to the server, with a title and a text. */
export function ProblemBox({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classNames(css['box'], css['error'])} role="alert">
      <strong>{title}</strong>
      <p>{children}</p>
    </div>
  )
}
