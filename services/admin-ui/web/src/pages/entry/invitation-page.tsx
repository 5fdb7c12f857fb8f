import { useState } from 'react'
import { entryActions, useInvitation } from '../../data/entry.ts'
import { tokenOf } from '../../data/link-token.ts'
import type { InvitationDetails } from '../../data/admin-types.ts'
import { roleTexts } from '../../data/rights.ts'
import { useAction } from '../../data/use-load.ts'
import { Form } from '../../kit/forms/form.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { EntryCard } from './entry-card.tsx'
import { NewPersonFields } from './new-person-fields.tsx'
import { useFirstSignIn } from './use-first-sign-in.ts'

/** Page of an invitation link: the invited person chooses a name and a password. */
export function InvitationPage() {
  const [token] = useState(() => tokenOf(location))
  const invitation = useInvitation(token)
  return (
    <EntryCard title="Invitation">
      {token === '' ? (
        <p>The address has no token. Open the complete link of your invitation.</p>
      ) : (
        <Loaded load={invitation}>
          {(details) => <AcceptForm token={token} details={details} />}
        </Loaded>
      )}
    </EntryCard>
  )
}

function AcceptForm({ token, details }: { token: string; details: InvitationDetails }) {
  const onDone = useFirstSignIn()
  const accept = useAction(entryActions.acceptInvitation, { onDone })
  const { email, role, name, expiresAt } = details
  return (
    <>
      <p>
        {email} joins as {role}: {roleTexts[role]}. The link expires <Time value={expiresAt} />.
      </p>
      <Form
        submit="Join"
        isRunning={accept.isRunning}
        error={accept.error}
        onSubmit={(values) => accept.run({ ...values, token })}
      >
        <NewPersonFields {...(name !== undefined && { name })} />
      </Form>
    </>
  )
}
