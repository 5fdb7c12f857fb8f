import type { AuditLogEntry } from '../../data/admin-types.ts'
import { downloadAudit, useAudit } from '../../data/audit.ts'
import { useAction } from '../../data/use-load.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { Filters, PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { usePageQuery } from '../../routing/navigation.tsx'

/** Page of the audit log: actions of people, newest first. */
export function AuditPage() {
  const [query, change] = usePageQuery()
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
      <Loaded
        load={load}
        lines={10}
        isEmpty={({ entries }) => entries.length === 0}
        empty={<p>No entry matches the filters.</p>}
      >
        {({ entries, nextCursor }) => (
          <>
            <DataTable
              label="Audit log"
              rows={entries}
              columns={columns}
              keyOf={({ id }: AuditLogEntry) => id}
            />
            <ButtonRow>
              {query['cursor'] && (
                <Button onPress={() => change({ cursor: '' })}>Newest entries</Button>
              )}
              {nextCursor !== undefined && (
                <Button onPress={() => change({ cursor: nextCursor })}>Older entries</Button>
              )}
            </ButtonRow>
          </>
        )}
      </Loaded>
    </PageBody>
  )
}

function AuditFilters() {
  const [query, change] = usePageQuery()
  const field = (name: string) => ({
    value: query[name] ?? '',
    onChange: (value: string) => change({ [name]: value, cursor: '' }),
  })
  return (
    <Filters>
      <TextField label="Person" type="search" isSearch {...field('person')} />
      <TextField label="Operation" type="search" {...field('operation')} />
      <TextField label="Account" type="search" {...field('account')} />
      <TextField label="From" type="datetime-local" {...field('from')} />
      <TextField label="To" type="datetime-local" {...field('to')} />
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
