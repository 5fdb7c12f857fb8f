import type { PersonRecord } from '../../data/admin-types.ts'
import { usePeople } from '../../data/people.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { buttonClass } from '../../kit/controls/button.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { AppLink } from '../../routing/navigation.tsx'
import { PersonActions } from './person-actions.tsx'

/** Page that lists the people who may sign in, with their roles. */
export function PeoplePage() {
  const load = usePeople()
  return (
    <PageBody lead="People who may sign in to these pages. Changes take effect within a second.">
      <div>
        <AppLink to="/invitations" className={buttonClass('primary')}>
          Invite a person
        </AppLink>
      </div>
      <Loaded load={load}>
        {({ people }) => (
          <DataTable
            label="People"
            rows={people}
            columns={columns}
            keyOf={({ id }: PersonRecord) => id}
          />
        )}
      </Loaded>
    </PageBody>
  )
}

const columns: readonly Column<PersonRecord>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Email', isWide: true, cell: ({ email }) => email },
  {
    title: 'Role',
    cell: ({ role, disabled }) => (
      <>
        {role} {disabled && <Badge tone="warn">disabled</Badge>}
      </>
    ),
  },
  { title: 'Mail', cell: ({ mayReadMail }) => (mayReadMail ? 'may read' : 'no') },
  { title: 'Factors', cell: ({ factors }) => factorText(factors) },
  {
    title: 'Signed in',
    cell: ({ signedInAt }) => (signedInAt ? <Time value={signedInAt} /> : 'never'),
  },
  { title: 'Actions', cell: (person) => <PersonActions person={person} /> },
]

function factorText({ password, totp, passkeys, oidc }: PersonRecord['factors']): string {
  const factors = [
    ...(password ? ['password'] : []),
    ...(totp ? ['codes'] : []),
    ...(passkeys > 0 ? [passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`] : []),
    ...(oidc ? ['OpenID'] : []),
  ]
  return factors.join(', ') || 'none'
}
