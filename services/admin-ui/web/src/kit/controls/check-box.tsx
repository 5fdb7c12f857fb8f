import type { ReactNode } from 'react'
import { Checkbox } from 'react-aria-components'
import css from './controls.module.css'

export interface CheckBoxProps {
  children?: ReactNode
  /** Name of the check box for screen readers, if the check box has no visible text. */
  label?: string
  name?: string
  isSelected?: boolean
  defaultSelected?: boolean
  isIndeterminate?: boolean
  onChange?: (isSelected: boolean) => void
}

/** Check box, whose value in a form is `true` or absent. */
export function CheckBox({ children, label, ...rest }: CheckBoxProps) {
  return (
    <Checkbox
      className={css['check'] ?? ''}
      {...rest}
      {...(rest.name !== undefined && { value: 'true' })}
      {...(label !== undefined && { 'aria-label': label })}
    >
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className={css['box']} aria-hidden="true">
            {isIndeterminate ? '−' : isSelected ? '✓' : ''}
          </span>
          {children}
        </>
      )}
    </Checkbox>
  )
}
