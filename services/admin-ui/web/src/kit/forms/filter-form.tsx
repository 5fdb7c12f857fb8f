import type { ReactNode } from 'react'
import { Form as AriaForm } from 'react-aria-components'
import content from '../content/content.module.css'
import { Button } from '../controls/button.tsx'

export interface FilterFormProps {
  children: ReactNode
  submit: string
  onSubmit: () => void
}

/** Row of fields that filter a list when the form is submitted. */
export function FilterForm({ children, submit, onSubmit }: FilterFormProps) {
  return (
    <search aria-label="Filters">
      <AriaForm
        className={content['filters'] ?? ''}
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        {children}
        <Button type="submit">{submit}</Button>
      </AriaForm>
    </search>
  )
}
