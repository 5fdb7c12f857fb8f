import type { SessionEntry } from '../../data/admin-types.ts'
import { ownActions, ownSessionsKey, useOwnSessions } from '../../data/own-factors.ts'
import { useAction } from '../../data/use-load.ts'
import { Button } from '../../kit/controls/button.tsx'
import { Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'

const refresh = [ownSessionsKey]

/** Panel that lists the sessions of the signed-in person in all browsers. */
export function OwnSessions() {
  const load = useOwnSessions()
  const endOthers = useAction(ownActions.endOtherSessions, { refresh })
  const button = (
    <Button onPress={() => endOthers.run(undefined)} isPending={endOthers.isRunning}>
      End all others
    </Button>
  )
  return (
    <Panel title="Sessions" tools={button}>
      {endOthers.error && <ErrorBox error={endOthers.error} />}
      <Loaded load={load} lines={2}>
        {({ sessions }) => (
          <DataTable
            label="Sessions"
            rows={sessions}
            columns={columns}
            keyOf={({ id }: SessionEntry) => id}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const columns: readonly Column<SessionEntry>[] = [
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
  const end = useAction(ownActions.endSession, { refresh })
  return (
    <>
      <Button onPress={() => end.run(id)} isPending={end.isRunning}>
        End
      </Button>
      {end.error && <ErrorBox error={end.error} />}
    </>
  )
}
