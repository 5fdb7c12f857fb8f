import type { ReactNode } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { classNames } from '../class-names.ts'
import css from './controls.module.css'

export interface ButtonProps {
  children: ReactNode
  onPress?: () => void
  kind?: 'primary' | 'danger' | 'plain'
  type?: 'button' | 'submit'
  isDisabled?: boolean
  /** True while the action of the button runs. The button keeps the focus. */
  isPending?: boolean
  /** Name of the button for screen readers, if its content is a symbol. */
  label?: string
  autoFocus?: boolean
}

/** Button of all pages. A button without a kind is a secondary button. */
export function Button(props: ButtonProps) {
  const { children, kind, label, onPress, type, isDisabled, isPending, autoFocus } = props
  return (
    <AriaButton
      className={classNames(css['button'], kind && css[kind])}
      type={type ?? 'button'}
      isDisabled={isDisabled ?? false}
      isPending={isPending ?? false}
      autoFocus={autoFocus ?? false}
      {...(label !== undefined && { 'aria-label': label })}
      {...(onPress && { onPress: () => onPress() })}
    >
      {children}
    </AriaButton>
  )
}

/** Row of buttons, which wraps on narrow screens. */
export function ButtonRow({ children }: { children: ReactNode }) {
  return <div className={css['row']}>{children}</div>
}

/** Class names of a link that looks like a button. */
export const buttonClass = (kind?: ButtonProps['kind']) =>
  classNames(css['button'], kind && css[kind])
