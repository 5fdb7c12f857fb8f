import { useState } from 'react'
import { accountStates, stateFilter } from '../../data/account-states.ts'
import { type AccountListEntry, accountsKey, useAccounts } from '../../data/accounts.ts'
import { queryClient } from '../../data/query-client.ts'
import { useRights } from '../../data/session.ts'
import { buttonClass } from '../../kit/controls/button.tsx'
import { QuerySelectField, QueryTextField } from '../../kit/forms/query-fields.tsx'
import { Filters, PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { PagedList } from '../../kit/table/entry-list.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'
import { BulkActions } from './bulk-actions.tsx'
import { StateBadge } from './state-badge.tsx'

const pageSize = 50
const refreshMs = 10_000

/** Page that lists accounts, with search, filter and actions on several accounts. */
export function AccountsPage() {
  const may = useRights()
  const [query] = usePageQuery()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const load = useAccounts(listInput(query), { everyMs: refreshMs, topic: 'changes' })
  const onBulkDone = (failed: readonly string[]) => {
    setSelected(new Set(failed))
    void queryClient.invalidateQueries({ queryKey: accountsKey })
  }
  const selection = { keys: selected, onChange: setSelected }
  return (
    <PageBody>
      <AccountFilters />
      {selected.size > 0 && <BulkActions keys={selected} onDone={onBulkDone} />}
      <PagedList
        load={load}
        lines={10}
        rows={({ accounts }) => accounts}
        empty={<NoAccounts isFiltered={Boolean(query['query'] || query['state'])} />}
        label="Accounts"
        columns={columns}
        keyOf={({ account }: AccountListEntry) => account}
        {...(may('operateAccounts') && { selection })}
        noun="account"
      />
    </PageBody>
  )
}

function listInput(query: Readonly<Record<string, string>>) {
  const state = stateFilter(query['state'])
  return {
    page: pageOf(query),
    pageSize,
    ...(query['query'] && { query: query['query'] }),
    ...(state !== undefined && { state }),
  }
}

const stateChoices = [
  { value: '', label: 'All states' },
  ...Object.entries(accountStates).map(([value, { label }]) => ({ value, label })),
]

function AccountFilters() {
  const may = useRights()
  const [query] = usePageQuery()
  return (
    <Filters>
      <QueryTextField label="Search" name="query" isSearch />
      <QuerySelectField
        label="State"
        name="state"
        value={stateFilter(query['state']) ?? ''}
        options={stateChoices}
      />
      {may('changeAccounts') && (
        <AppLink to="/add-account" className={buttonClass('primary')}>
          Add an account
        </AppLink>
      )}
    </Filters>
  )
}

const columns: readonly Column<AccountListEntry>[] = [
  {
    title: 'Account',
    cell: ({ account, name }) => (
      <AppLink to="/accounts/$account" params={{ account }}>
        {name || account}
      </AppLink>
    ),
  },
  { title: 'Email', isWide: true, cell: ({ email }) => email ?? '–' },
  { title: 'State', cell: ({ stateDetail }) => <StateBadge state={stateDetail} /> },
  { title: 'Type', cell: ({ type }) => type },
  { title: 'Error', cell: ({ lastError }) => lastError?.response ?? lastError?.description ?? '–' },
  { title: 'Synced', cell: ({ syncTime }) => (syncTime ? <Time value={syncTime} /> : '–') },
]

function NoAccounts({ isFiltered }: { isFiltered: boolean }) {
  const may = useRights()
  if (isFiltered) return <p>No account matches the filters.</p>
  return (
    <>
      <p>Accounts appear here with their states. There is no account yet.</p>
      {may('changeAccounts') && <AppLink to="/add-account">Add an account</AppLink>}
    </>
  )
}
