import { operations } from '@posthorn/contracts/operations'
import { parseEventPosition } from '../events/event-streams.ts'
import { handle, handleWriter, type OperationHandler } from '../http/handle.ts'
import { getEvent, listEvents } from '../store/events/events.ts'
import type { OperationDeps } from './operation-deps.ts'

/**
 * API operations on recorded events. The order of the operations matters: the path of `getEvent`
 * would match the path of the event stream, too.
 */
export function eventHandlers({ db, events }: Pick<OperationDeps, 'db' | 'events'>) {
  const handlers: OperationHandler[] = [
    handle(operations.listEvents, ({ query: { pageSize = 20, ...filter } }) =>
      listEvents(db, { ...filter, pageSize }),
    ),
    handleWriter(operations.followEvents, ({ query, headers, caller }) => {
      const { account, event, lastEventId } = query
      // The header `Last-Event-ID` overrides the position in the query of an event stream request,
      // as in `GET /v1/changes`.
      const position =
        parseEventPosition(headers['last-event-id']) ?? parseEventPosition(lastEventId)
      return events.open(position, caller, { account, event })
    }),
    handle(operations.getEvent, async ({ params, query: { payload: withBody = false } }) => {
      const { event, body } = await getEvent(db, params.event, withBody)
      if (!withBody) return event
      return { ...event, payload: body === null ? null : (JSON.parse(body) as unknown) }
    }),
  ]
  return handlers
}
