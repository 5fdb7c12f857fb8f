import type { AdminRole } from '@posthorn/contracts/admin/roles'
import { useState } from 'react'
import type { PersonRecord } from '../../data/admin-types.ts'
import { peopleActions, peopleKey } from '../../data/people.ts'
import { sessionKey } from '../../data/query-client.ts'
import { useAction } from '../../data/use-load.ts'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { CheckBox } from '../../kit/controls/check-box.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { Dialog } from '../../kit/overlays/dialog.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { roleChoices } from './role-choices.ts'

// The session is loaded again too, because the changed person may be the signed-in person.
const refresh = [peopleKey, sessionKey]

/** Buttons for actions on one person. */
export function PersonActions({ person }: { person: PersonRecord }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button onPress={() => setOpen(true)} label={`Change ${person.name}`}>
        Change
      </Button>
      <Dialog title={person.name} isOpen={isOpen} onClose={close}>
        <PersonForm person={person} onDone={close} />
        <DangerousActions person={person} />
      </Dialog>
    </>
  )
}

function PersonForm({ person, onDone }: { person: PersonRecord; onDone: () => void }) {
  const update = useAction(peopleActions.update, { refresh, onDone })
  const submit = ({ name = '', role, mayReadMail, disabled }: Readonly<Record<string, string>>) =>
    update.run({
      id: person.id,
      changes: {
        name,
        role: role as AdminRole,
        mayReadMail: mayReadMail === 'true',
        disabled: disabled === 'true',
      },
    })
  return (
    <Form submit="Save" isRunning={update.isRunning} error={update.error} onSubmit={submit}>
      <TextField label="Name" name="name" defaultValue={person.name} isRequired />
      <SelectField label="Role" name="role" defaultValue={person.role} options={roleChoices} />
      <CheckBox name="mayReadMail" defaultSelected={person.mayReadMail}>
        May read mail for 15 minutes, with a reason
      </CheckBox>
      <CheckBox name="disabled" defaultSelected={person.disabled}>
        Disabled: cannot sign in
      </CheckBox>
    </Form>
  )
}

function DangerousActions({ person: { id, name, email } }: { person: PersonRecord }) {
  const end = useAction(peopleActions.endSessions, { refresh })
  const reset = useAction(peopleActions.resetFactors, { refresh })
  const remove = useAction(peopleActions.remove, { refresh })
  return (
    <>
      <ButtonRow>
        <Button onPress={() => end.run(id)} isPending={end.isRunning}>
          End all sessions
        </Button>
        <ConfirmButton
          action="Reset the factors"
          question={<p>{name} loses the password, one-time codes and passkeys.</p>}
          onConfirm={() => reset.run(id)}
          isPending={reset.isRunning}
        />
        <ConfirmButton
          action="Delete the person"
          question={<p>{name} can no longer sign in. The audit log keeps the actions.</p>}
          typed={email}
          onConfirm={() => remove.run(id)}
          isPending={remove.isRunning}
        />
      </ButtonRow>
      {reset.result && <CopyBox text={reset.result.link} />}
      {[end, reset, remove].map(
        ({ error }, index) => error && <ErrorBox key={index} error={error} />,
      )}
    </>
  )
}
