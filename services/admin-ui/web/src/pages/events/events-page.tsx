import { useEvents } from '../../data/events/events.ts'
import { type LiveEvent, mergeEvents } from '../../data/events/live-events.ts'
import { type LiveEvents, useLiveEvents } from '../../data/events/use-live-events.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { Filters, PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { CheckBox } from '../../kit/controls/check-box.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { DeliveryState } from './delivery-state.tsx'
import { eventListInput, isLive, liveFilter } from './event-query.ts'

/** Page that lists the events of the last days, latest first, and new events as they arrive. */
export function EventsPage() {
  const [query, change] = usePageQuery()
  const live = useLiveEvents(liveFilter(query), isLive(query))
  const load = useEvents(eventListInput(query), isLive(query))
  return (
    <PageBody lead="Events of the last days, whether webhooks are enabled or not.">
      <EventFilters />
      {isLive(query) && <LiveState state={live.state} />}
      <Loaded
        load={load}
        lines={10}
        isEmpty={({ events }) => events.length + live.events.length === 0}
        empty={<NoEvents />}
      >
        {({ events, nextCursor }) => (
          <>
            <DataTable
              label="Events"
              rows={mergeEvents(live.events, events)}
              columns={columns}
              keyOf={({ id }: LiveEvent) => id}
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

function EventFilters() {
  const [query, change] = usePageQuery()
  const field = (name: string) => ({
    value: query[name] ?? '',
    onChange: (value: string) => change({ [name]: value, cursor: '' }),
  })
  return (
    <Filters>
      <TextField label="Account" type="search" isSearch {...field('account')} />
      <TextField label="Event" type="search" {...field('event')} />
      <TextField label="From" type="datetime-local" {...field('since')} />
      <TextField label="To" type="datetime-local" {...field('until')} />
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
      <CopyBox text={submitCall} label="Copy the command" />
    </>
  )
}

const submitCall = [
  'curl -X POST "$POSTHORN_URL/v1/account/jane/submit" \\',
  '  -H "Authorization: Bearer $POSTHORN_TOKEN" -H "Content-Type: application/json" \\',
  `  -d '{"to":[{"address":"ada@example.org"}],"subject":"Hello","text":"Hello"}'`,
].join('\n')

const columns: readonly Column<LiveEvent>[] = [
  { title: 'Time', cell: ({ date }) => <Time value={date} /> },
  {
    title: 'Event',
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
