import { sessionKey } from '../../data/query-client.ts'
import { ownActions } from '../../data/own-factors.ts'
import { roleTexts } from '../../data/rights.ts'
import { useSignedIn } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Form } from '../../kit/forms/form.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Facts, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { MailReading } from './mail-reading.tsx'
import { OneTimeCodes } from './one-time-codes.tsx'
import { OwnSessions } from './own-sessions.tsx'
import { Passkeys } from './passkeys.tsx'

/** Page with the profile of the signed-in person: password, further factors, and sessions. */
export function ProfilePage() {
  const { person, session } = useSignedIn()
  return (
    <PageBody>
      <Panel title="You">
        <Facts
          rows={[
            ['Name', person.name],
            ['Email', person.email],
            ['Role', `${person.role}: ${roleTexts[person.role]}`],
            ['Signed in', <Time key="time" value={session.createdAt} />],
            ['Session ends', <Time key="time" value={session.expiresAt} />],
          ]}
        />
      </Panel>
      {person.mayReadMail && <MailReading />}
      <Panel title="Password">
        <PasswordForm />
      </Panel>
      <OneTimeCodes />
      <Passkeys />
      <OwnSessions />
    </PageBody>
  )
}

function PasswordForm() {
  const { factors } = useSignedIn()
  const change = useAction(ownActions.changePassword, { refresh: [sessionKey] })
  return (
    <>
      <Form
        submit={factors.password ? 'Change the password' : 'Set a password'}
        isRunning={change.isRunning}
        error={change.error}
        onSubmit={({ current, new: next = '' }) =>
          change.run({ new: next, ...(current !== undefined && { current }) })
        }
      >
        {factors.password && (
          <TextField
            label="Current password"
            name="current"
            type="password"
            autoComplete="current-password"
            isRequired
          />
        )}
        <TextField
          label="New password"
          name="new"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters. Other sessions end."
          minLength={12}
          isRequired
        />
      </Form>
      <p role="status">{change.isDone ? 'The password was changed.' : ''}</p>
    </>
  )
}
