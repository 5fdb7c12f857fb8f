import type { ReactNode } from 'react'
import { ownActions } from '../../data/own-factors.ts'
import { sessionKey } from '../../data/query-client.ts'
import { useAction } from '../../data/use-load.ts'
import { TextField } from '../controls/text-field.tsx'
import { Form } from './form.tsx'

export interface MailReasonFormProps {
  submit: string
  /** Text above the field for the reason to read mail. Absent: the usual text about the reason. */
  children?: ReactNode
  onDone?: () => void
  autoFocus?: boolean
}

/** Form for the reason with which a person starts to read mail for 15 minutes. */
export function MailReasonForm(props: MailReasonFormProps) {
  const { submit, children = usualText, onDone, autoFocus = false } = props
  const start = useAction(ownActions.startMailReading, {
    refresh: [sessionKey],
    ...(onDone && { onDone: () => onDone() }),
  })
  return (
    <Form
      submit={submit}
      isRunning={start.isRunning}
      error={start.error}
      onSubmit={({ reason = '' }) => start.run(reason)}
    >
      {children}
      <TextField label="Reason" name="reason" minLength={3} isRequired autoFocus={autoFocus} />
    </Form>
  )
}

const usualText = (
  <p>You may read mail for 15 minutes. The reason and each read are in the audit log.</p>
)
