import { operations } from '@posthorn/contracts/operations'
import type { EventHead } from '@posthorn/contracts/schemas/recorded-event'
import type { Db } from '@posthorn/db'
import type { Metrics } from '@posthorn/telemetry'
import type { Caller } from '../access/authenticate.ts'
import { Streams, type StreamsDeps } from '../streams/streams.ts'
import type { ResponseWriter } from '../http/handle.ts'
import type { StreamedEvent } from '../store/events/events.ts'
import { SettledEvents } from './settled-events.ts'

export interface EventStreamsDeps extends StreamsDeps {
  db: Db
  metrics: Metrics
}

/** Filter of a client's stream of recorded events. Absent members match any event. */
export interface StreamFilter {
  account?: string | undefined
  event?: string | undefined
}

/**
 * Streams of `GET /admin/api/events/stream` in this process. Disposal ends the streams; clients
 * resume at any replica. Without a client, no query runs.
 */
export interface EventStreams extends AsyncDisposable {
  /**
   * Prepares a stream of events that starts after the position `after`, or at the current end of
   * the events. The returned function writes the stream.
   */
  open(after: bigint | undefined, caller: Caller, filter: StreamFilter): Promise<ResponseWriter>
}

export function serveEvents({ db, metrics, ...deps }: EventStreamsDeps): EventStreams {
  const clients = metrics.gauge({
    name: 'event_stream_clients',
    help: 'Number of clients of GET /admin/api/events/stream',
  })
  const streams = new Streams({
    ...deps,
    operation: operations.followEvents,
    source: new SettledEvents(db),
    onLive: () => undefined,
    onClients: (change) => clients.inc(change),
  })
  return {
    open(after, caller, filter) {
      const toData = (event: StreamedEvent) => (matches(event, filter) ? headOf(event) : undefined)
      return streams.open(after, caller, { formatPosition: String, toData })
    },
    [Symbol.asyncDispose]: () => streams[Symbol.asyncDispose](),
  }
}

function matches(event: EventHead, filter: StreamFilter): boolean {
  const { account = event.account, event: name = event.event } = filter
  return account === event.account && name === event.event
}

function headOf({ id, date, event, account, path }: StreamedEvent): EventHead {
  return { id, date, event, account, path }
}

/**
 * Parses the id of a server-sent event, which is a position in the list of recorded events.
 * Undefined for an empty id.
 */
export function parseEventPosition(text: string | undefined): bigint | undefined {
  return text === undefined || text === '' ? undefined : BigInt(text)
}
