import { exportActions, type ExportEntry, exportsKey, useExports } from '../../data/exports.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { Filters, PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { Pager } from '../../kit/table/pager.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'
import { exportStateOf, exportStates, exportTones, progressText } from './export-text.ts'

const pageSize = 50

/** Page that lists the exports of the messages of accounts, with their progress. */
export function ExportsPage() {
  const [query, change] = usePageQuery()
  const [status, { account }] = [exportStateOf(query), query]
  const load = useExports({
    page: pageOf(query),
    pageSize,
    ...(account && { account }),
    ...(status !== undefined && { status }),
  })
  return (
    <PageBody>
      <ExportFilters />
      <Loaded
        load={load}
        lines={10}
        isEmpty={({ exports }) => exports.length === 0}
        empty={<NoExports />}
      >
        {({ exports, total, pages }) => (
          <>
            <DataTable
              label="Exports"
              rows={exports}
              columns={columns}
              keyOf={({ exportId }: ExportEntry) => exportId}
            />
            <Pager
              page={pageOf(query)}
              pages={pages}
              total={total}
              noun={total === 1 ? 'export' : 'exports'}
              onPage={(page) => change({ page: String(page + 1) })}
            />
          </>
        )}
      </Loaded>
    </PageBody>
  )
}

function NoExports() {
  return (
    <>
      <p>No export matches. Exports appear here when they are requested, such as by this call:</p>
      <CopyBox text={exportCall} label="Copy the command" />
    </>
  )
}

const exportCall = [
  'curl -X POST "$POSTHORN_URL/v1/account/anna/export" \\',
  '  -H "Authorization: Bearer $POSTHORN_TOKEN" -H "Content-Type: application/json" \\',
  `  -d '{"startDate":"2026-01-01T00:00:00Z","endDate":"2026-02-01T00:00:00Z"}'`,
].join('\n')

function ExportFilters() {
  const [query, change] = usePageQuery()
  return (
    <Filters>
      <TextField
        label="Account"
        type="search"
        isSearch
        value={query['account'] ?? ''}
        onChange={(account) => change({ account, page: '' })}
      />
      <SelectField
        label="State"
        value={exportStateOf(query) ?? ''}
        options={[
          { value: '', label: 'all' },
          ...exportStates.map((value) => ({ value, label: value })),
        ]}
        onChange={(status) => change({ status, page: '' })}
      />
    </Filters>
  )
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
  { title: 'State', cell: ({ status }) => <Badge tone={exportTones[status]}>{status}</Badge> },
  { title: 'Progress', cell: progressText },
  { title: 'Error', cell: ({ error, errorCode }) => error ?? errorCode ?? '–' },
  { title: 'Requested', cell: ({ created }) => <Time value={created} /> },
  { title: 'Deleted', cell: ({ expiresAt }) => <Time value={expiresAt} /> },
  { title: 'Actions', cell: (entry) => <ExportActions entry={entry} /> },
]

function ExportActions({ entry }: { entry: ExportEntry }) {
  const may = useRights()
  const download = useAction(exportActions.download)
  const remove = useAction(exportActions.remove, { refresh: [exportsKey] })
  const isOpen = entry.status === 'queued' || entry.status === 'processing'
  return (
    <ButtonRow>
      {entry.status === 'completed' && (
        <Button onPress={() => download.run(entry)} isPending={download.isRunning}>
          Download
        </Button>
      )}
      {may('changeExports') && (
        <ConfirmButton
          action={isOpen ? 'Cancel' : 'Delete'}
          question={<p>{isOpen ? 'The export ends without a file.' : 'The file is deleted.'}</p>}
          onConfirm={() => remove.run(entry)}
          isPending={remove.isRunning}
        />
      )}
      {[download, remove].map(
        ({ error }, index) => error && <ErrorBox key={index} error={error} />,
      )}
    </ButtonRow>
  )
}
