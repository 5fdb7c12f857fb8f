import { useRef } from 'react'
import { accountStates, stateFilter } from '../../data/account-states.ts'
import { accountFilters, backends, hasPartialWorker } from '../../data/account-filters.ts'
import { type AccountListEntry, useAccounts } from '../../data/accounts.ts'
import { matchingTotal } from '../../data/load-state.ts'
import { providerKinds, providerNames } from '../../data/provider-names.ts'
import { useRights } from '../../data/session.ts'
import { buttonClass } from '../../kit/controls/button.tsx'
import { QuerySelectField, QueryTextField } from '../../kit/forms/query-fields.tsx'
import { Filters, PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { JobList } from '../../kit/jobs/job-list.tsx'
import { ListRegion } from '../../kit/jobs/list-region.tsx'
import { tableSelection, useMarked } from '../../kit/jobs/use-marked.ts'
import { Announcement } from '../../kit/states/announcement.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { PagedList } from '../../kit/table/entry-list.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'
import { AccountSelection } from './account-selection.tsx'
import { StateBadge } from './state-badge.tsx'

const pageSize = 50
const refreshMs = 10_000

/** Page that lists accounts, with search, filters and jobs on several accounts. */
export function AccountsPage() {
  const may = useRights()
  const [query] = usePageQuery()
  const filter = accountFilters(query)
  const load = useAccounts(
    { page: pageOf(query), pageSize, ...filter },
    { everyMs: refreshMs, topic: 'changes' },
  )
  // A changed worker filter ends the selection of accounts, also while the text is not a whole
  // worker id and does not filter.
  const [marked, mark] = useMarked({ ...filter, worker: query['worker'] })
  const region = useRef<HTMLElement>(null)
  const shown = (load.data?.accounts ?? []).map(({ account }) => account)
  return (
    <PageBody>
      <AccountFilters />
      <Announcement text={hasPartialWorker(query) ? partialWorkerNews : ''} />
      <ListRegion label="List of accounts" regionRef={region}>
        <AccountSelection
          marked={marked}
          onChange={mark}
          matching={matchingTotal(load)}
          filter={filter}
          canMarkAll={!hasPartialWorker(query)}
          region={region}
        />
        <JobList target="accounts" />
        <PagedList
          load={load}
          lines={10}
          rows={({ accounts }) => accounts}
          empty={<NoAccounts isFiltered={Object.keys(filter).length > 0} />}
          label="Accounts"
          columns={columns}
          keyOf={({ account }: AccountListEntry) => account}
          {...(may('operateAccounts') && { selection: tableSelection(marked, shown, mark) })}
          noun="account"
        />
      </ListRegion>
    </PageBody>
  )
}

const partialWorkerText = 'Not a whole id. The list is not filtered by worker.'
const partialWorkerNews = 'The text in the field Worker is not a whole id and does not filter.'

const stateChoices = [
  { value: '', label: 'All states' },
  ...Object.entries(accountStates).map(([value, { label }]) => ({ value, label })),
]

function choices<K extends string>(
  values: readonly K[],
  all: string,
  names?: Readonly<Record<K, string>>,
) {
  const entries = values.map((value) => ({ value, label: names?.[value] ?? value }))
  return [{ value: '' as const, label: all }, ...entries]
}

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
      <QuerySelectField
        label="Mail system"
        name="backend"
        value={accountFilters(query).backend ?? ''}
        options={choices(backends, 'All mail systems')}
      />
      <QuerySelectField
        label="Provider"
        name="provider"
        value={accountFilters(query).provider ?? ''}
        options={choices(providerKinds, 'All providers', providerNames)}
      />
      <QueryTextField label="Error code" name="errorCode" />
      <QueryTextField
        label="Worker"
        name="worker"
        hint="Whole id of a worker"
        {...(hasPartialWorker(query) && { problem: partialWorkerText })}
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
