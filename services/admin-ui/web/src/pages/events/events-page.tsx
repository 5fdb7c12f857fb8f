import { useEvents } from '../../data/events/events.ts'
import { type LiveEvent, mergeEvents } from '../../data/events/live-events.ts'
import { type LiveEvents, useLiveEvents } from '../../data/events/use-live-events.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { SubmitCall } from '../../kit/content/submit-call.tsx'
import { Filters, PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { CheckBox } from '../../kit/controls/check-box.tsx'
import { QueryTextField } from '../../kit/forms/query-fields.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { CursorList } from '../../kit/table/entry-list.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { DeliveryState } from './delivery-state.tsx'
import { eventListInput, isLive, liveFilter } from './event-query.ts'

/** Page that lists the events of the last days, latest first, and new events as they arrive. */
export function EventsPage() {
  const [query] = usePageQuery()
  const live = useLiveEvents(liveFilter(query), isLive(query))
  const load = useEvents(eventListInput(query), isLive(query))
  return (
    <PageBody lead="Events of the last days, whether webhooks are enabled or not.">
      <EventFilters />
      {isLive(query) && <LiveState state={live.state} />}
      <CursorList
        load={load}
        rows={({ events }) => mergeEvents(live.events, events)}
        empty={<NoEvents />}
        label="Events"
        columns={columns}
        keyOf={({ id }: LiveEvent) => id}
      />
    </PageBody>
  )
}

function EventFilters() {
  const [query, change] = usePageQuery()
  return (
    <Filters>
      <QueryTextField label="Account" name="account" isSearch />
      <QueryTextField label="Event" name="event" />
      <QueryTextField label="From" name="since" type="datetime-local" />
      <QueryTextField label="To" name="until" type="datetime-local" />
      <CheckBox
        isSelected={isLive(query)}
        onChange={(isOn) => change(isOn ? { live: '1', cursor: '', until: '' } : { live: '' })}
      >
        Live
      </CheckBox>
    </Filters>
  )
}

function LiveState({ state }: Pick<LiveEvents, 'state'>) {
  return (
    <p role="status">
      {state === 'live' && <Badge tone="good">Live: new events appear at the top.</Badge>}
      {state === 'connecting' && <Badge tone="neutral">Connecting …</Badge>}
      {state === 'lost' && (
        <Badge tone="warn">Disconnected: the page reconnects and shows missed events.</Badge>
      )}
    </p>
  )
}

function NoEvents() {
  return (
    <>
      <p>No event matches. New messages, changed flags and results of sending appear here.</p>
      <p>This call sends a message, which causes the event messageSent:</p>
      <SubmitCall />
    </>
  )
}

const columns: readonly Column<LiveEvent>[] = [
  { title: 'Time', cell: ({ date }) => <Time value={date} /> },
  {
    title: 'Event',
    isWord: true,
    cell: ({ id, event }) => (
      <AppLink to="/events/$event" params={{ event: id }}>
        {event}
      </AppLink>
    ),
  },
  {
    title: 'Account',
    isWide: true,
    cell: ({ account }) => (
      <AppLink to="/accounts/$account" params={{ account }}>
        {account}
      </AppLink>
    ),
  },
  { title: 'Mailbox', isWide: true, cell: ({ path }) => path ?? '–' },
  { title: 'Deliveries', cell: ({ deliveryState }) => <DeliveryState state={deliveryState} /> },
]
