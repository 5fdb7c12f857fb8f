import { useRights } from '../../data/session.ts'
import { type RouteEntry, useRoutes } from '../../data/webhooks/webhook-routes.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { ButtonRow, buttonClass } from '../../kit/controls/button.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { PagedList } from '../../kit/table/entry-list.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'

/** Page that lists webhook routes. */
export function RoutesPage() {
  const [query] = usePageQuery()
  const load = useRoutes(pageOf(query))
  return (
    <PageBody lead="A route sends selected events of all accounts to an additional target.">
      <CreateLink />
      <PagedList
        load={load}
        rows={({ webhooks }) => webhooks}
        empty={
          <>
            <p>Webhook routes appear here. This call creates a route for new messages:</p>
            <CopyBox text={createCall} label="Copy the command" />
          </>
        }
        label="Routes"
        columns={columns}
        keyOf={({ id }: RouteEntry) => id}
        noun="route"
      />
    </PageBody>
  )
}

function CreateLink() {
  const may = useRights()
  if (!may('changeRoutes')) return null
  return (
    <ButtonRow>
      <AppLink to="/create-route" className={buttonClass('primary')}>
        Create a route
      </AppLink>
    </ButtonRow>
  )
}

const createCall = [
  'curl -X POST "$POSTHORN_URL/admin/api/webhookRoutes" \\',
  '  -H "Authorization: Bearer $POSTHORN_TOKEN" -H "Content-Type: application/json" \\',
  `  -d '{"name":"New messages","targetUrl":"https://hooks.example/",`,
  `       "content":{"fn":"return payload.event === \\"messageNew\\""}}'`,
].join('\n')

const columns: readonly Column<RouteEntry>[] = [
  {
    title: 'Name',
    isWide: true,
    cell: ({ id, name }) => (
      <AppLink to="/routes/$route" params={{ route: id }}>
        {name}
      </AppLink>
    ),
  },
  { title: 'Target', isWide: true, cell: ({ targetUrl }) => targetUrl },
  { title: 'State', cell: (route) => <RouteBadge route={route} /> },
  { title: 'Deliveries', cell: ({ tcount }) => tcount.toLocaleString('en') },
  { title: 'Last error', isWide: true, cell: ({ webhookErrorFlag }) => webhookErrorFlag ?? '–' },
  { title: 'Changed', cell: ({ updated }) => <Time value={updated} /> },
]

function RouteBadge({ route }: { route: RouteEntry }) {
  if (!route.enabled) return <Badge tone="neutral">off</Badge>
  return route.webhookErrorFlag === null ? (
    <Badge tone="good">on</Badge>
  ) : (
    <Badge tone="bad">failing</Badge>
  )
}
