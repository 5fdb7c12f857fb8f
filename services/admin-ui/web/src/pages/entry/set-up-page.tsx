import { useState } from 'react'
import { entryActions } from '../../data/entry.ts'
import { tokenOf } from '../../data/link-token.ts'
import { useAction } from '../../data/use-load.ts'
import { Form } from '../../kit/forms/form.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { EntryCard } from './entry-card.tsx'
import { NewPersonFields } from './new-person-fields.tsx'
import { useFirstSignIn } from './use-first-sign-in.ts'

/** Page of the set-up link: creates the first owner, or restores the access of an owner. */
export function SetUpPage() {
  const [token] = useState(() => tokenOf(location))
  const onDone = useFirstSignIn()
  const setUp = useAction(entryActions.setUp, { onDone })
  if (token === '')
    return (
      <EntryCard title="Set up">
        <p>The address has no set-up token. Open the complete link that the service has printed.</p>
      </EntryCard>
    )
  return (
    <EntryCard title="Set up">
      <p>You become the owner of this installation and can invite other people.</p>
      <Form
        submit="Create the owner"
        isRunning={setUp.isRunning}
        error={setUp.error}
        onSubmit={(values) => setUp.run({ ...values, token })}
      >
        <TextField
          label="Email address"
          name="email"
          type="email"
          autoComplete="username"
          isRequired
          autoFocus
        />
        <NewPersonFields />
      </Form>
    </EntryCard>
  )
}
