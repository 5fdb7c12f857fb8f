import type { ReactNode } from 'react'
import { Form as AriaForm } from 'react-aria-components'
import { ErrorBox } from '../states/error-box.tsx'
import { Button, ButtonRow } from '../controls/button.tsx'
import css from '../controls/controls.module.css'
import { textsOf } from './form-texts.ts'

export interface FormProps {
  children: ReactNode
  submit: string
  onSubmit: (values: Readonly<Record<string, string>>) => void
  isRunning?: boolean
  error?: Error | null
  /** Further buttons of the form, beside the submit button. */
  buttons?: ReactNode
}

/**
 * Form that passes the texts of its fields by name to `onSubmit`. Errors are shown below the
 * fields.
 */
export function Form({ children, submit, onSubmit, isRunning, error, buttons }: FormProps) {
  return (
    <AriaForm
      className={css['form'] ?? ''}
      onSubmit={(event) => {
        event.preventDefault()
        if (isRunning !== true) onSubmit(textsOf(event.currentTarget))
      }}
    >
      {children}
      {error && <ErrorBox error={error} />}
      <ButtonRow>
        <Button type="submit" kind="primary" isPending={isRunning ?? false}>
          {submit}
        </Button>
        {buttons}
      </ButtonRow>
    </AriaForm>
  )
}
