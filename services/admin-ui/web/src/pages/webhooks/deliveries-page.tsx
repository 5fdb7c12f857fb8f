import { type Delivery, deliveriesKey, retryDelivery, useDeliveries } from '../../data/queues.ts'
import { filtersOf } from '../../data/query-filters.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Badge, type Tone } from '../../kit/content/badge.tsx'
import { Filters, PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { QuerySelectField, QueryTextField } from '../../kit/forms/query-fields.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { CursorList } from '../../kit/table/entry-list.tsx'
import { usePageQuery } from '../../routing/navigation.tsx'
import type { PageQuery } from '../../routing/query-text.ts'
import { DefaultTargetCall } from './default-target-call.tsx'
import { ReplayFailed } from './replay-failed.tsx'
import { replayFilter } from './replay-filter.ts'

const pageSize = 50
const states = ['due', 'delivered', 'failed', 'dropped'] as const
type State = (typeof states)[number]

/** Page that lists webhook deliveries in one state, newest first. */
export function DeliveriesPage() {
  const [query] = usePageQuery()
  const may = useRights()
  const load = useDeliveries(listInput(query))
  return (
    <PageBody>
      <DeliveryFilters />
      {stateOf(query) === 'failed' && may('operateQueues') && (
        <ReplayFailed filter={replayFilter(query)} />
      )}
      <CursorList
        load={load}
        rows={({ deliveries }) => deliveries}
        empty={<NoDeliveries />}
        label="Deliveries"
        columns={columns}
        keyOf={({ id }: Delivery) => id}
      />
    </PageBody>
  )
}

function NoDeliveries() {
  return (
    <>
      <p>No delivery matches. Events appear here on their way to your webhook targets.</p>
      <DefaultTargetCall />
    </>
  )
}

const textFilters = ['account', 'event', 'address', 'outcome', 'cursor'] as const

/**
 * State by which the page's address filters webhook deliveries. As in the API, failed deliveries
 * are listed by default.
 */
function stateOf(query: PageQuery): State {
  return states.find((each) => each === query['state']) ?? 'failed'
}

function listInput(query: PageQuery) {
  return { pageSize, ...filtersOf(query, textFilters), state: stateOf(query) }
}

function DeliveryFilters() {
  const [query] = usePageQuery()
  return (
    <Filters>
      <QueryTextField label="Account" name="account" isSearch />
      <QueryTextField label="Event" name="event" />
      <QueryTextField label="Target address" name="address" />
      <QuerySelectField
        label="State"
        name="state"
        options={states.map((value) => ({ value, label: value }))}
        value={stateOf(query)}
      />
    </Filters>
  )
}

const tones: Readonly<Record<State, Tone>> = {
  due: 'neutral',
  delivered: 'good',
  failed: 'bad',
  dropped: 'warn',
}

const columns: readonly Column<Delivery>[] = [
  { title: 'Queued', cell: ({ queuedAt }) => <Time value={queuedAt} /> },
  { title: 'Event', isWord: true, cell: ({ event }) => event },
  { title: 'Account', cell: ({ account }) => account || '–' },
  { title: 'Target', isWide: true, cell: ({ address }) => address },
  { title: 'State', cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
  { title: 'Attempts', cell: ({ attempts }) => attempts },
  { title: 'Result', cell: (delivery) => resultText(delivery) },
  { title: 'Actions', cell: ({ id, state }) => <RetryButton id={id} state={state} /> },
]

function resultText({ lastStatus, lastOutcome, lastError }: Delivery): string {
  return [lastStatus, lastOutcome, lastError].filter((part) => part !== null).join(' · ') || '–'
}

function RetryButton({ id, state }: { id: string; state: State }) {
  const may = useRights()
  const retry = useAction(retryDelivery, { refresh: [deliveriesKey] })
  if (state !== 'failed' || !may('operateQueues')) return '–'
  return (
    <>
      <Button onPress={() => retry.run(id)} isPending={retry.isRunning}>
        Retry
      </Button>
      {retry.error && <ErrorBox error={retry.error} />}
    </>
  )
}
