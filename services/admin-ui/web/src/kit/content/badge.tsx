import { classNames } from '../class-names.ts'
import css from './content.module.css'

export type Tone = 'good' | 'warn' | 'bad' | 'neutral'

/** State in words with a colour. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={classNames(css['badge'], tone !== 'neutral' && css[tone])}>{children}</span>
  )
}
