import { isSettled, type Load } from '../../data/load-state.ts'
import { useStats } from '../../data/overview.ts'
import { useRights } from '../../data/session.ts'
import { useKeys } from '../../data/system.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { Facts, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { Skeleton } from '../../kit/states/skeleton.tsx'
import { DataTable } from '../../kit/table/data-table.tsx'

/** Page with the versions, keys and licences of the installation. */
export function AboutPage() {
  const stats = useStats()
  const mayReadKeys = useRights()('readKeys')
  const keys = useKeys({ enabled: mayReadKeys })
  if (!isSettled(stats) || (mayReadKeys && !isSettled(keys))) return <Skeleton lines={8} />
  return (
    <PageBody>
      <Panel title="Versions">
        <Loaded load={stats} lines={4}>
          {({ version, node, arch, postgres, postgresPing, rabbitmq, license }) => (
            <Facts
              rows={[
                ['Posthorn', version],
                ['Node.js', `${node} (${arch})`],
                ['Postgres', `${postgres}, responds in ${postgresPing.toFixed(1)} ms`],
                ['RabbitMQ', rabbitmq ? 'connected' : 'not connected'],
                ['Licence', license],
              ]}
            />
          )}
        </Loaded>
      </Panel>
      {mayReadKeys && <Keys load={keys} />}
    </PageBody>
  )
}

function Keys({ load }: { load: Load<{ keys: Key[] }> }) {
  return (
    <Panel title="Sealing keys">
      <Loaded
        load={load}
        lines={2}
        isEmpty={(list) => list.keys.length === 0}
        empty={<p>The public keys with which secrets are sealed appear here.</p>}
      >
        {(list) => (
          <DataTable
            label="Sealing keys"
            rows={list.keys}
            columns={keyColumns}
            keyOf={({ id }: Key) => id}
          />
        )}
      </Loaded>
    </Panel>
  )
}

interface Key {
  id: string
  current: boolean
}

const keyColumns = [
  { title: 'Id', cell: ({ id }: Key) => <code>{id}</code> },
  {
    title: 'Use',
    cell: ({ current }: Key) =>
      current ? <Badge tone="good">current</Badge> : <Badge tone="neutral">earlier</Badge>,
  },
]
