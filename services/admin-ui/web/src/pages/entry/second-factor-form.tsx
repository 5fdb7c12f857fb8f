import type { Session } from '../../data/admin-types.ts'
import { entryActions } from '../../data/entry.ts'
import { useAction } from '../../data/use-load.ts'
import { Button } from '../../kit/controls/button.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'

export interface SecondFactorFormProps {
  ticket: string
  onDone: (session: Session) => void
  onCancel: () => void
}

/** Form for the second step of the sign-in: a one-time code or a recovery code. */
export function SecondFactorForm({ ticket, onDone, onCancel }: SecondFactorFormProps) {
  const check = useAction(
    (code: string) => entryActions.secondFactor({ ticket, code: code.replace(/\s/g, '') }),
    { onDone },
  )
  return (
    <Form
      submit="Continue"
      isRunning={check.isRunning}
      error={check.error}
      onSubmit={({ code = '' }) => check.run(code)}
      buttons={<Button onPress={onCancel}>Back</Button>}
    >
      <TextField
        label="One-time code"
        name="code"
        hint="The code of your app, or one of your recovery codes."
        autoComplete="one-time-code"
        isRequired
        autoFocus
      />
    </Form>
  )
}
