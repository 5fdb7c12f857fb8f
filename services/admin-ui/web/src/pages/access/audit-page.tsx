import type { AuditLogEntry } from '../../data/admin-types.ts'
import { downloadAudit, useAudit } from '../../data/audit.ts'
import { useAction } from '../../data/use-load.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { Filters, PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { QueryTextField } from '../../kit/forms/query-fields.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { CursorList } from '../../kit/table/entry-list.tsx'
import { usePageQuery } from '../../routing/navigation.tsx'

/** Page of the audit log: actions of people, newest first. */
export function AuditPage() {
  const [query] = usePageQuery()
  const load = useAudit(query)
  const download = useAction(downloadAudit)
  return (
    <PageBody lead="Actions of people at these pages, and sign-ins. Entries are never changed.">
      <AuditFilters />
      <div>
        <Button onPress={() => download.run(query)} isPending={download.isRunning}>
          Download as NDJSON
        </Button>
      </div>
      {download.error && <ErrorBox error={download.error} />}
      <CursorList
        load={load}
        rows={({ entries }) => entries}
        empty={<p>No entry matches the filters.</p>}
        label="Audit log"
        columns={columns}
        keyOf={({ id }: AuditLogEntry) => id}
      />
    </PageBody>
  )
}

function AuditFilters() {
  return (
    <Filters>
      <QueryTextField label="Person" name="person" isSearch />
      <QueryTextField label="Operation" name="operation" />
      <QueryTextField label="Account" name="account" />
      <QueryTextField label="From" name="from" type="datetime-local" />
      <QueryTextField label="To" name="to" type="datetime-local" />
    </Filters>
  )
}

const columns: readonly Column<AuditLogEntry>[] = [
  { title: 'Time', cell: ({ at }) => <Time value={at} /> },
  {
    title: 'Person',
    isWide: true,
    cell: ({ email, role }) => [email, role].filter(Boolean).join(', ') || '–',
  },
  { title: 'IP address', cell: ({ address }) => address },
  { title: 'Operation', cell: ({ operation, account }) => operationText(operation, account) },
  { title: 'Changed', cell: ({ keys }) => keys.join(', ') || '–' },
  { title: 'Reason', cell: ({ reason }) => reason ?? '–' },
  { title: 'Outcome', cell: (entry) => <Outcome {...entry} /> },
]

function operationText(operation: string, account: string | undefined): string {
  return account === undefined ? operation : `${operation} of ${account}`
}

function Outcome({ outcome, status }: AuditLogEntry) {
  if (outcome === undefined) return <Badge tone="warn">unknown</Badge>
  const text = status === undefined ? outcome : `${outcome} (${status})`
  return <Badge tone={outcome === 'done' ? 'good' : 'bad'}>{text}</Badge>
}
