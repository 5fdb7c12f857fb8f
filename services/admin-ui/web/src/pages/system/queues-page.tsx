import {
  pauseQueue,
  useWorkQueues,
  type WorkQueue,
  workQueuesKey,
} from '../../data/lists/work-queues.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { PageBody } from '../../kit/content/panel.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { AppLink } from '../../routing/navigation.tsx'
import { countText, queueNames } from './queue-texts.ts'

/** Page that shows the work queues, which can be paused. */
export function QueuesPage() {
  const load = useWorkQueues()
  return (
    <PageBody lead="Work that waits in the database. A pause takes effect within a second.">
      <Loaded load={load} lines={3}>
        {(queues) => (
          <DataTable
            label="Queues"
            rows={queues}
            columns={columns}
            keyOf={({ queue }: WorkQueue) => queue}
          />
        )}
      </Loaded>
    </PageBody>
  )
}

const columns: readonly Column<WorkQueue>[] = [
  {
    title: 'Queue',
    isWide: true,
    cell: ({ queue }) => <AppLink to={queueNames[queue].list}>{queueNames[queue].title}</AppLink>,
  },
  {
    title: 'State',
    cell: ({ paused }) =>
      paused ? <Badge tone="warn">paused</Badge> : <Badge tone="good">running</Badge>,
  },
  { title: 'Due', cell: ({ jobs }) => countText(jobs.waiting) },
  { title: 'In progress', cell: ({ jobs }) => countText(jobs.active) },
  { title: 'Later', cell: ({ jobs }) => countText(jobs.delayed) },
  { title: 'Paused or held', cell: ({ jobs }) => countText(jobs.paused) },
  { title: 'Actions', cell: (queue) => <PauseButton queue={queue} /> },
]

function PauseButton({ queue: { queue, paused } }: { queue: WorkQueue }) {
  const may = useRights()
  const pause = useAction(pauseQueue, { refresh: [workQueuesKey] })
  if (!may('changeQueues')) return '–'
  return (
    <>
      {paused ? (
        <Button
          label={`Resume ${queueNames[queue].title}`}
          onPress={() => pause.run({ queue, paused: false })}
          isPending={pause.isRunning}
        >
          Resume
        </Button>
      ) : (
        <ConfirmButton
          action="Pause"
          question={<p>{queueNames[queue].pause}</p>}
          onConfirm={() => pause.run({ queue, paused: true })}
          isPending={pause.isRunning}
        />
      )}
      {pause.error && <ErrorBox error={pause.error} />}
    </>
  )
}
