import { type Gateway, useGateways } from '../../data/lists/gateways.ts'
import { useRights } from '../../data/session.ts'
import { PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { buttonClass } from '../../kit/controls/button.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { PagedList } from '../../kit/table/entry-list.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'
import { GatewayState } from './gateway-state.tsx'

/** Page that lists the SMTP gateways. */
export function GatewaysPage() {
  const may = useRights()
  const [query] = usePageQuery()
  const load = useGateways(pageOf(query))
  return (
    <PageBody lead="SMTP servers that send messages instead of the servers of the accounts.">
      {may('changeGateways') && (
        <div>
          <AppLink to="/add-gateway" className={buttonClass('primary')}>
            Add a gateway
          </AppLink>
        </div>
      )}
      <PagedList
        load={load}
        rows={({ gateways }) => gateways}
        empty={
          <>
            <p>Gateways appear here. A submission names its gateway in the member gateway.</p>
            {may('changeGateways') && <AppLink to="/add-gateway">Add a gateway</AppLink>}
          </>
        }
        label="Gateways"
        columns={columns}
        keyOf={({ gateway }: Gateway) => gateway}
        noun="gateway"
      />
    </PageBody>
  )
}

const columns: readonly Column<Gateway>[] = [
  {
    title: 'Name',
    isWide: true,
    cell: ({ gateway, name }) => (
      <AppLink to="/gateways/$gateway" params={{ gateway }}>
        {name}
      </AppLink>
    ),
  },
  { title: 'Id', isWide: true, cell: ({ gateway }) => gateway },
  { title: 'State', cell: (gateway) => <GatewayState gateway={gateway} /> },
  { title: 'Accepted', cell: ({ deliveries }) => deliveries.toLocaleString('en') },
  { title: 'Last use', cell: ({ lastUse }) => (lastUse ? <Time value={lastUse} /> : 'never') },
  {
    title: 'Last error',
    isWide: true,
    cell: ({ lastError }) => lastError?.response ?? lastError?.description ?? '–',
  },
]
