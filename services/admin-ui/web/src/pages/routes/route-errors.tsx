import { useAction } from '../../data/use-load.ts'
import { useMailRight } from '../../data/use-mail-right.ts'
import {
  routeActions,
  type RouteFailure,
  routesKey,
  useRouteErrors,
} from '../../data/webhooks/webhook-routes.ts'
import { Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'

/** Panel with the latest errors of the functions of a webhook route. */
export function RouteErrors({ id }: { id: string }) {
  const load = useRouteErrors(id)
  return (
    <Panel title="Errors of the functions">
      <Loaded
        load={load}
        lines={2}
        isEmpty={({ errors }) => errors.length === 0}
        empty={<p>The last 20 errors of the filter function and the map function appear here.</p>}
      >
        {({ errors }) => (
          <>
            <ShowTexts />
            <DataTable
              label="Errors of the functions"
              rows={errors}
              columns={columns}
              keyOf={(failure: RouteFailure) =>
                `${failure.created} ${failure.eventId} ${failure.function}`
              }
            />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

/**
 * Button that shows the texts of the errors, which can contain mail, to people who may read mail.
 */
function ShowTexts() {
  const right = useMailRight()
  const show = useAction(routeActions.requestMailReading, { refresh: [routesKey] })
  if (right !== 'inactive') return null
  return (
    <div>
      <Button onPress={() => show.run(undefined)} isPending={show.isRunning}>
        Show the texts
      </Button>
    </div>
  )
}

const columns: readonly Column<RouteFailure>[] = [
  { title: 'Time', cell: ({ created }) => <Time value={created} /> },
  { title: 'Function', cell: (failure) => failure.function },
  { title: 'Event', isWord: true, cell: ({ event }) => event },
  { title: 'Account', cell: ({ account }) => account || '–' },
  { title: 'Error', isWide: true, cell: ({ message }) => message },
]
