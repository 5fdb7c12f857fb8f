import { type EventRecord, readEventBody, useEvent } from '../../data/events/events.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { useMailRight } from '../../data/use-mail-right.ts'
import { Facts, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button, buttonClass, ButtonRow } from '../../kit/controls/button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { AppLink, usePathParameter } from '../../routing/navigation.tsx'
import { DeliveryState } from './delivery-state.tsx'
import { TryRoute } from './try-route.tsx'

/** Page of one event: head, links, body by right, and a trial of a webhook route. */
export function EventPage() {
  const event = usePathParameter('event')
  // The React key separates events: the body of one event never shows on the page of another event.
  return <EventDetails key={event} event={event} />
}

function EventDetails({ event }: { event: string }) {
  const load = useEvent(event)
  const may = useRights()
  return (
    <PageBody>
      <Loaded load={load} lines={6}>
        {(record) => (
          <>
            <Panel title="Event">
              <Head record={record} />
            </Panel>
            <Panel title="Body">
              <Body event={record.id} />
            </Panel>
            {may('tryRoutes') && (
              <Panel title="Try a route on this event">
                <TryRoute event={record.id} />
              </Panel>
            )}
          </>
        )}
      </Loaded>
    </PageBody>
  )
}

function Head({ record }: { record: EventRecord }) {
  const { id, date, event, account, path, deliveryState } = record
  const query = { account, event }
  return (
    <>
      <Facts
        rows={[
          ['Name', event],
          ['Time', <Time key="time" value={date} />],
          [
            'Account',
            <AppLink key="account" to="/accounts/$account" params={{ account }}>
              {account}
            </AppLink>,
          ],
          ['Mailbox', path],
          ['Deliveries', <DeliveryState key="state" state={deliveryState} />],
          ['Id', <code key="id">{id}</code>],
        ]}
      />
      <ButtonRow>
        <AppLink className={buttonClass()} to="/events" query={{ account }}>
          Events of this account
        </AppLink>
        {deliveryState !== 'none' && (
          <AppLink
            className={buttonClass()}
            to="/deliveries"
            query={{ ...query, state: deliveryState }}
          >
            Deliveries of this account and event name
          </AppLink>
        )}
      </ButtonRow>
    </>
  )
}

function Body({ event }: { event: string }) {
  const read = useAction(readEventBody)
  const right = useMailRight()
  // The shown body of an event disappears when the right to read mail ends.
  if (read.isDone && right === 'active') return <pre>{JSON.stringify(read.result, null, 2)}</pre>
  return (
    <>
      <p>The body contains mail. Each read is recorded in the audit log.</p>
      <div>
        <Button onPress={() => read.run(event)} isPending={read.isRunning}>
          Read the body
        </Button>
      </div>
      {read.error && <ErrorBox error={read.error} />}
    </>
  )
}
