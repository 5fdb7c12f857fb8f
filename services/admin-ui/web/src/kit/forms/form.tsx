import type { ReactNode } from 'react'
import { Form as AriaForm } from 'react-aria-components'
import { classNames } from '../class-names.ts'
import { ErrorBox } from '../states/error-box.tsx'
import { Button, ButtonRow } from '../controls/button.tsx'
import css from '../controls/controls.module.css'

export interface FormProps {
  children: ReactNode
  submit: string
  onSubmit: (values: Readonly<Record<string, string>>) => void
  isRunning?: boolean
  error?: Error | null
  /** Further buttons of the form, beside the submit button. */
  buttons?: ReactNode
  /** True if the form has editors, which need the width of the page. */
  isWide?: boolean
}

/**
 * Form that passes the texts of its fields by name to `onSubmit`. Errors are shown below the
 * fields.
 */
export function Form(props: FormProps) {
  const { children, submit, onSubmit, isRunning, error, buttons, isWide } = props
  return (
    <AriaForm
      className={classNames(css['form'], isWide === true && css['wide'])}
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

/** Texts of a form's fields by their names. */
function textsOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  const entries = [...new FormData(form)]
  return Object.fromEntries(entries.map(([key, value]) => [key, value as string]))
}
