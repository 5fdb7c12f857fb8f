import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { releaseWorker, useWorkers, type WorkerEntry, workersKey } from '../../data/workers.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { shardText } from './shard-text.ts'

/**
 * Page that lists the processes that serve the accounts, with their shards (groups of accounts).
 */
export function WorkersPage() {
  const load = useWorkers()
  return (
    <PageBody lead="Processes that serve the accounts, with their shards (groups of accounts).">
      <Loaded
        load={load}
        isEmpty={({ workers }) => workers.length === 0}
        empty={<p>Processes of sync-worker appear here. No process has sent a heartbeat.</p>}
      >
        {({ workers, unheld }) => (
          <>
            {unheld.accounts > 0 && (
              <Panel title={`${unheld.accounts.toLocaleString('en')} accounts without a worker`}>
                <p>Shards {shardText(unheld.shards)}. Start more replicas of sync-worker.</p>
              </Panel>
            )}
            <DataTable
              label="Workers"
              rows={workers}
              columns={columns}
              keyOf={({ id }: WorkerEntry) => id}
            />
          </>
        )}
      </Loaded>
    </PageBody>
  )
}

const columns: readonly Column<WorkerEntry>[] = [
  { title: 'Worker', isWide: true, cell: ({ id }) => <code>{id}</code> },
  { title: 'State', cell: (worker) => <WorkerState worker={worker} /> },
  { title: 'Accounts', cell: ({ accounts }) => accounts.toLocaleString('en') },
  { title: 'Shards', isWide: true, cell: ({ shards }) => shardText(shards) || 'none' },
  { title: 'Heartbeat', cell: ({ heartbeatAt }) => <Time value={heartbeatAt} /> },
  { title: 'Actions', cell: (worker) => <ReleaseButton worker={worker} /> },
]

function WorkerState({ worker }: { worker: WorkerEntry }) {
  const { alive, releasing, refusing } = worker
  if (!alive) return <Badge tone="bad">no heartbeat</Badge>
  if (releasing) return <Badge tone="warn">hands over</Badge>
  return refusing ? <Badge tone="warn">no memory</Badge> : <Badge tone="good">alive</Badge>
}

function ReleaseButton({ worker: { id, alive, releasing } }: { worker: WorkerEntry }) {
  const may = useRights()
  const release = useAction(releaseWorker, { refresh: [workersKey] })
  if (!may('releaseWorkers') || !alive || releasing) return '–'
  return (
    <>
      <ConfirmButton
        action="Release"
        question={<p>Other workers take over the accounts. The worker then takes no shards.</p>}
        onConfirm={() => release.run(id)}
        isPending={release.isRunning}
      />
      {release.error && <ErrorBox error={release.error} />}
    </>
  )
}
