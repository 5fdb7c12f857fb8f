import type { PersonSession } from '../../data/admin-types.ts'
import { peopleActions, peopleKey, usePeopleSessions } from '../../data/people.ts'
import { useAction } from '../../data/use-load.ts'
import { PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'

/** Page that lists the sessions of all people. */
export function SessionsPage() {
  const load = usePeopleSessions()
  return (
    <PageBody lead="A session that is ended here stops within a second, with its open streams.">
      <Loaded load={load}>
        {({ sessions }) => (
          <DataTable
            label="Sessions"
            rows={sessions}
            columns={columns}
            keyOf={({ id }: PersonSession) => id}
          />
        )}
      </Loaded>
    </PageBody>
  )
}

const columns: readonly Column<PersonSession>[] = [
  { title: 'Person', isWide: true, cell: ({ person }) => `${person.name} (${person.email})` },
  { title: 'Browser', cell: ({ browser }) => browser },
  { title: 'IP address', cell: ({ address }) => address },
  { title: 'Signed in', cell: ({ createdAt }) => <Time value={createdAt} /> },
  { title: 'Last use', cell: ({ seenAt }) => <Time value={seenAt} /> },
  {
    title: 'Actions',
    cell: ({ id, current }) => (current ? 'This browser' : <EndButton id={id} />),
  },
]

function EndButton({ id }: { id: string }) {
  const end = useAction(peopleActions.endSession, { refresh: [peopleKey] })
  return (
    <>
      <Button onPress={() => end.run(id)} isPending={end.isRunning}>
        End
      </Button>
      {end.error && <ErrorBox error={end.error} />}
    </>
  )
}
