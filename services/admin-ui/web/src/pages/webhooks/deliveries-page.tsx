import { type Delivery, deliveriesKey, retryDelivery, useDeliveries } from '../../data/queues.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Badge, type Tone } from '../../kit/content/badge.tsx'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { Filters, PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { usePageQuery } from '../../routing/navigation.tsx'
import type { PageQuery } from '../../routing/query-text.ts'
import { ReplayFailed } from './replay-failed.tsx'
import { replayFilter } from './replay-filter.ts'

const pageSize = 50
const states = ['due', 'delivered', 'failed', 'dropped'] as const
type State = (typeof states)[number]

/** Page that lists webhook deliveries in one state, newest first. */
export function DeliveriesPage() {
  const [query, change] = usePageQuery()
  const may = useRights()
  const load = useDeliveries(listInput(query))
  return (
    <PageBody>
      <DeliveryFilters />
      {stateOf(query) === 'failed' && may('operateQueues') && (
        <ReplayFailed filter={replayFilter(query)} />
      )}
      <Loaded
        load={load}
        lines={10}
        isEmpty={({ deliveries }) => deliveries.length === 0}
        empty={<NoDeliveries />}
      >
        {({ deliveries, nextCursor }) => (
          <>
            <DataTable
              label="Deliveries"
              rows={deliveries}
              columns={columns}
              keyOf={({ id }: Delivery) => id}
            />
            <ButtonRow>
              {query['cursor'] && <Button onPress={() => change({ cursor: '' })}>Newest</Button>}
              {nextCursor !== null && (
                <Button onPress={() => change({ cursor: nextCursor })}>Older</Button>
              )}
            </ButtonRow>
          </>
        )}
      </Loaded>
    </PageBody>
  )
}

function NoDeliveries() {
  return (
    <>
      <p>No delivery matches. Events appear here on their way to your webhook targets.</p>
      <p>This call sets the default target and enables all events:</p>
      <CopyBox text={settingsCall} label="Copy the command" />
    </>
  )
}

const settingsCall = [
  'curl -X POST "$POSTHORN_URL/v1/settings" -H "Authorization: Bearer $POSTHORN_TOKEN" \\',
  '  -H "Content-Type: application/json" \\',
  `  -d '{"webhooks":"https://hooks.example/","webhooksEnabled":true,"webhookEvents":["*"]}'`,
].join('\n')

const textFilters = ['account', 'event', 'address', 'outcome', 'cursor'] as const

/**
 * State by which the page's address filters deliveries. As in the API, failed deliveries are listed
 * by default.
 */
function stateOf(query: PageQuery): State {
  return states.find((each) => each === query['state']) ?? 'failed'
}

function listInput(query: PageQuery) {
  const texts = textFilters.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []))
  return { pageSize, ...Object.fromEntries(texts), state: stateOf(query) }
}

function DeliveryFilters() {
  const [query, change] = usePageQuery()
  const field = (name: string) => ({
    value: query[name] ?? '',
    onChange: (value: string) => change({ [name]: value, cursor: '' }),
  })
  return (
    <Filters>
      <TextField label="Account" type="search" isSearch {...field('account')} />
      <TextField label="Event" type="search" {...field('event')} />
      <TextField label="Target address" type="search" {...field('address')} />
      <SelectField
        label="State"
        options={states.map((value) => ({ value, label: value }))}
        value={stateOf(query)}
        onChange={(state) => change({ state, cursor: '' })}
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
  { title: 'Event', cell: ({ event }) => event },
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
