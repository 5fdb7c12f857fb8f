import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import css from './states.module.css'

/** Problem that is not the error of a call of this page, with a title and a text. */
export function ProblemBox({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classNames(css['box'], css['error'])} role="alert">
      <strong>{title}</strong>
      <p>{children}</p>
    </div>
  )
}
