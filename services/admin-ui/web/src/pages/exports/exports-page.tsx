import { type ExportEntry, useExports } from '../../data/lists/exports.ts'
import { isSettled } from '../../data/load-state.ts'
import { filtersOf } from '../../data/query-filters.ts'
import { useRights } from '../../data/session.ts'
import { Filters, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Badge, type Tone } from '../../kit/content/badge.tsx'
import { sizeText } from '../../kit/content/size-text.ts'
import { Time } from '../../kit/content/time.tsx'
import { QuerySelectField, QueryTextField } from '../../kit/forms/query-fields.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { PagedList } from '../../kit/table/entry-list.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { pageOf, type PageQuery } from '../../routing/query-text.ts'
import { ExportActions } from './export-actions.tsx'
import { exportPart, progressText } from './export-texts.ts'
import { NewExportForm } from './new-export-form.tsx'

const pageSize = 50
const statuses = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const
type Status = (typeof statuses)[number]

/** Page that lists the exports of all accounts, with their progress. */
export function ExportsPage() {
  const may = useRights()
  const [query] = usePageQuery()
  const load = useExports(listInput(query))
  return (
    <PageBody lead="Files with the messages of an account. An export runs in the background.">
      <ExportFilters />
      <PagedList
        load={load}
        rows={({ exports }) => exports}
        empty={<p>No export matches. Exports appear here until they expire.</p>}
        head={({ storedBytes, maxStoredBytes }) => (
          <p>
            The files use {sizeText(storedBytes)} of {sizeText(maxStoredBytes)}.
          </p>
        )}
        label="Exports"
        columns={columns}
        keyOf={({ exportId }: ExportEntry) => exportId}
        noun="export"
      />
      {may('changeExports') && isSettled(load) && (
        <Panel title="Create an export">
          <NewExportForm />
        </Panel>
      )}
    </PageBody>
  )
}

function statusOf(query: PageQuery): Status | undefined {
  return statuses.find((each) => each === query['status'])
}

function listInput(query: PageQuery) {
  const status = statusOf(query)
  return {
    page: pageOf(query),
    pageSize,
    ...filtersOf(query, ['account']),
    ...(status !== undefined && { status }),
  }
}

function ExportFilters() {
  const [query] = usePageQuery()
  return (
    <Filters>
      <QueryTextField label="Account" name="account" isSearch />
      <QuerySelectField
        label="Status"
        name="status"
        value={statusOf(query) ?? ''}
        options={[
          { value: '', label: 'all' },
          ...statuses.map((value) => ({ value, label: value })),
        ]}
      />
    </Filters>
  )
}

const tones: Readonly<Record<Status, Tone>> = {
  queued: 'neutral',
  processing: 'neutral',
  completed: 'good',
  failed: 'bad',
  cancelled: 'warn',
}

const columns: readonly Column<ExportEntry>[] = [
  {
    title: 'Account',
    cell: ({ account }) => (
      <AppLink to="/accounts/$account" params={{ account }}>
        {account}
      </AppLink>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge> },
  { title: 'Progress', isWide: true, cell: (entry) => <Progress entry={entry} /> },
  { title: 'Period', cell: (entry) => <Period entry={entry} /> },
  { title: 'Size', cell: ({ storedBytes }) => sizeText(storedBytes) },
  { title: 'Error', cell: ({ error, errorCode }) => errorText(error, errorCode) },
  { title: 'Created', cell: ({ created }) => <Time value={created} /> },
  { title: 'Expires', cell: ({ expiresAt }) => <Time value={expiresAt} /> },
  { title: 'Actions', cell: (entry) => <ExportActions entry={entry} /> },
]

function errorText(error: string | null, code: string | null): string {
  return [code, error].filter(Boolean).join(' · ') || '–'
}

function Progress({ entry }: { entry: ExportEntry }) {
  const part = exportPart(entry)
  return (
    <>
      {part !== undefined && <progress value={part} max={1} aria-label="Progress" />}{' '}
      {progressText(entry)}
      {entry.truncated && '. The file is incomplete.'}
      {entry.estimatedEnd !== undefined && (
        <>
          . Ends <Time value={entry.estimatedEnd} />.
        </>
      )}
    </>
  )
}

function Period({ entry: { startDate, endDate, folders } }: { entry: ExportEntry }) {
  return (
    <>
      <Time value={startDate} /> to <Time value={endDate} />
      {folders.length > 0 && `: ${folders.join(', ')}`}
    </>
  )
}
