import type { ReactNode } from 'react'
import { ownActions } from '../../data/own-factors.ts'
import { sessionKey } from '../../data/query-client.ts'
import { useAction } from '../../data/use-load.ts'
import { useMailRight } from '../../data/use-mail-right.ts'
import { Panel } from '../../kit/content/panel.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'

/**
 * Shows its content while the person's right to read mail is active. Otherwise asks for the reason,
 * or explains who gives the right.
 */
export function MailGate({ children }: { children: ReactNode }) {
  const right = useMailRight()
  if (right === 'active') return children
  return (
    <Panel title="Reading mail">
      {right === 'never' ? (
        <p>You may not read mail. An owner permits reading mail on the page People.</p>
      ) : (
        <ReasonForm />
      )}
    </Panel>
  )
}

function ReasonForm() {
  const start = useAction(ownActions.startMailReading, { refresh: [sessionKey] })
  return (
    <>
      <p>You may read mail for 15 minutes. The reason and each read are in the audit log.</p>
      <Form
        submit="Read mail"
        isRunning={start.isRunning}
        error={start.error}
        onSubmit={({ reason = '' }) => start.run(reason)}
      >
        <TextField label="Reason" name="reason" minLength={3} isRequired />
      </Form>
    </>
  )
}
