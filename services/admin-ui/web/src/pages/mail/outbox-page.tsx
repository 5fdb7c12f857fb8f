import { useRef } from 'react'
import type { OutboxJobFilter } from '../../data/jobs/jobs.ts'
import { matchingTotal } from '../../data/load-state.ts'
import { type OutboxEntry, outboxActions, outboxKey, useOutbox } from '../../data/queues.ts'
import { filtersOf } from '../../data/query-filters.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Badge, type Tone } from '../../kit/content/badge.tsx'
import { SubmitCall } from '../../kit/content/submit-call.tsx'
import { Filters, PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { QuerySelectField, QueryTextField } from '../../kit/forms/query-fields.tsx'
import { JobList } from '../../kit/jobs/job-list.tsx'
import { ListRegion } from '../../kit/jobs/list-region.tsx'
import { tableSelection, useMarked } from '../../kit/jobs/use-marked.ts'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { PagedList } from '../../kit/table/entry-list.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { pageOf, type PageQuery } from '../../routing/query-text.ts'
import { OutboxSelection } from './outbox-selection.tsx'

const pageSize = 50
const states = ['queued', 'held', 'sent', 'failed', 'bounced'] as const
type State = (typeof states)[number]

/** Page that lists messages of the outbox in one state, or messages that wait to be sent. */
export function OutboxPage() {
  const may = useRights()
  const [query] = usePageQuery()
  const filter = filtersOfPage(query)
  const load = useOutbox({ page: pageOf(query), pageSize, ...filter })
  const [marked, mark] = useMarked(filter)
  const region = useRef<HTMLElement>(null)
  const shown = (load.data?.messages ?? []).map(({ queueId }) => queueId)
  return (
    <PageBody>
      <OutboxFilters />
      <ListRegion label="Messages of the outbox" regionRef={region}>
        <OutboxSelection
          marked={marked}
          onChange={mark}
          matching={matchingTotal(load)}
          filter={jobFilter(filter)}
          region={region}
        />
        <JobList target="outbox" />
        <PagedList
          load={load}
          lines={10}
          rows={({ messages }) => messages}
          empty={<NoMessages />}
          label="Outbox"
          columns={columns}
          keyOf={({ queueId }: OutboxEntry) => queueId}
          {...(may('operateQueues') && { selection: tableSelection(marked, shown, mark) })}
          noun="message"
        />
      </ListRegion>
    </PageBody>
  )
}

function NoMessages() {
  return (
    <>
      <p>No message matches. Messages appear here when they are submitted, such as by this call:</p>
      <SubmitCall />
    </>
  )
}

/**
 * State by which the page's address filters messages. Undefined: the API lists queued and held
 * messages.
 */
function stateOf(query: PageQuery): State | undefined {
  return states.find((each) => each === query['state'])
}

function filtersOfPage(query: PageQuery) {
  const state = stateOf(query)
  return { ...filtersOf(query, ['account', 'query']), ...(state !== undefined && { state }) }
}

/**
 * Filter of a job on the listed messages. Undefined if the list shows messages that were sent or
 * have failed, which a job selects by their ids only.
 */
function jobFilter(filter: ReturnType<typeof filtersOfPage>): OutboxJobFilter | undefined {
  const { state, ...rest } = filter
  if (state === undefined) return rest
  return state === 'queued' || state === 'held' ? { ...rest, state } : undefined
}

function OutboxFilters() {
  const [query] = usePageQuery()
  return (
    <Filters>
      <QueryTextField
        label="Search"
        name="query"
        isSearch
        hint="Recipient, subject or Message-ID"
      />
      <QueryTextField label="Account" name="account" />
      <QuerySelectField
        label="State"
        name="state"
        value={stateOf(query) ?? ''}
        options={[
          { value: '', label: 'queued or held' },
          ...states.map((value) => ({ value, label: value })),
        ]}
      />
    </Filters>
  )
}

const tones: Readonly<Record<State, Tone>> = {
  queued: 'neutral',
  held: 'warn',
  sent: 'good',
  failed: 'bad',
  bounced: 'bad',
}

const columns: readonly Column<OutboxEntry>[] = [
  {
    title: 'Account',
    cell: ({ account }) => (
      <AppLink to="/accounts/$account" params={{ account }}>
        {account}
      </AppLink>
    ),
  },
  { title: 'Recipients', isWide: true, cell: ({ envelope }) => envelope.to.join(', ') },
  { title: 'State', cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
  { title: 'Attempts', cell: ({ attemptsMade, attempts }) => `${attemptsMade} of ${attempts}` },
  {
    title: 'Next attempt',
    cell: ({ nextAttempt }) => (nextAttempt ? <Time value={nextAttempt} /> : '–'),
  },
  {
    title: 'Response',
    cell: ({ progress }) => progress.error?.message ?? progress.response ?? '–',
  },
  { title: 'Actions', cell: (entry) => <EntryActions entry={entry} /> },
]

function EntryActions({ entry: { queueId, state } }: { entry: OutboxEntry }) {
  const may = useRights()
  const run = useAction(
    (action: keyof typeof outboxActions): Promise<unknown> => outboxActions[action](queueId),
    { refresh: [outboxKey] },
  )
  const button = (action: keyof typeof outboxActions, text: string) => (
    <Button onPress={() => run.run(action)} isPending={run.isRunning}>
      {text}
    </Button>
  )
  const isOpen = state === 'queued' || state === 'held'
  if (!may('operateQueues')) return '–'
  return (
    <ButtonRow>
      {state === 'queued' && button('hold', 'Hold')}
      {state === 'held' && button('release', 'Release')}
      {(isOpen || state === 'failed') && button('send', 'Send now')}
      {isOpen && may('cancelSubmissions') && (
        <ConfirmButton
          action="Cancel"
          question={<p>The message is removed from the outbox and is not sent.</p>}
          onConfirm={() => run.run('cancel')}
          isPending={run.isRunning}
        />
      )}
      {run.error && <ErrorBox error={run.error} />}
    </ButtonRow>
  )
}
