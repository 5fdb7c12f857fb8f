import type { AdminRole } from '@posthorn/contracts/admin/roles'
import type { InvitationEntry } from '../../data/admin-types.ts'
import { peopleActions, peopleKey, useInvitations } from '../../data/people.ts'
import { useAction } from '../../data/use-load.ts'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { CheckBox } from '../../kit/controls/check-box.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { roleChoices } from './role-choices.ts'

const refresh = [peopleKey]

/** Page that lists invitations of people who have not joined yet, and creates invitations. */
export function InvitationsPage() {
  const load = useInvitations()
  return (
    <PageBody>
      <Panel title="Invite a person">
        <InviteForm />
      </Panel>
      <Panel title="Open invitations">
        <Loaded
          load={load}
          lines={3}
          isEmpty={({ invitations }) => invitations.length === 0}
          empty={<p>Invitations appear here until they are used or expire.</p>}
        >
          {({ invitations }) => (
            <DataTable
              label="Open invitations"
              rows={invitations}
              columns={columns}
              keyOf={({ id }: InvitationEntry) => id}
            />
          )}
        </Loaded>
      </Panel>
    </PageBody>
  )
}

const columns: readonly Column<InvitationEntry>[] = [
  { title: 'Email', isWide: true, cell: ({ email }) => email },
  { title: 'Role', cell: ({ role }) => role },
  { title: 'Mail', cell: ({ mayReadMail }) => (mayReadMail ? 'may read' : 'no') },
  { title: 'Created', cell: ({ createdAt }) => <Time value={createdAt} /> },
  { title: 'Expires', cell: ({ expiresAt }) => <Time value={expiresAt} /> },
  { title: 'Actions', cell: ({ id }) => <RevokeButton id={id} /> },
]

function RevokeButton({ id }: { id: string }) {
  const revoke = useAction(peopleActions.revoke, { refresh })
  return (
    <>
      <Button onPress={() => revoke.run(id)} isPending={revoke.isRunning}>
        Revoke
      </Button>
      {revoke.error && <ErrorBox error={revoke.error} />}
    </>
  )
}

function InviteForm() {
  const invite = useAction(peopleActions.invite, { refresh })
  return (
    <>
      <Form
        submit="Create the invitation"
        isRunning={invite.isRunning}
        error={invite.error}
        onSubmit={({ email = '', role, mayReadMail }) =>
          invite.run({ email, role: role as AdminRole, mayReadMail: mayReadMail === 'true' })
        }
      >
        <TextField label="Email address" name="email" type="email" isRequired />
        <SelectField label="Role" name="role" defaultValue="support" options={roleChoices} />
        <CheckBox name="mayReadMail">May read mail for 15 minutes, with a reason</CheckBox>
      </Form>
      {invite.result && (
        <div role="status">
          <p>
            Send this link to the person. The link works once, and expires{' '}
            <Time value={invite.result.expiresAt} />.
          </p>
          <CopyBox text={invite.result.link} />
        </div>
      )}
    </>
  )
}
