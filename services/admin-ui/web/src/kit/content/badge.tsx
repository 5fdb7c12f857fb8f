import { classNames } from '../class-names.ts'
import css from './content.module.css'

/** Meaning of a badge's color. */
export type Tone = 'good' | 'warn' | 'bad' | 'neutral'

/** Badge with a state in words and a color. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={classNames(css['badge'], tone !== 'neutral' && css[tone])}>{children}</span>
  )
}
