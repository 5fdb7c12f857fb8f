import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'

/** Longer than any id is. */
const ChangeId = Type.String({ maxLength: 64, format: 'change-id' })

/**
 * Changes of all accounts' states as server-sent events, each exactly once and in one order, whichever replica is asked. The first frame
 * carries an id and nothing else, so that also who heard nothing can go on from there.
 */
export const followChanges = defineOperation({
  id: 'followChanges',
  method: 'get',
  path: '/v1/changes',
  tag: 'Stats',
  summary: 'Follow the states of all accounts',
  description:
    'Server-sent events. Frames of `event: message` carry a StateChange as JSON: `{"account": "…", "type": "state", "key": "connected", "payload": null}`, with `payload.error` where the account is in trouble. After a loss of the connection `Last-Event-ID` (or `lastEventId`, which the header wins over) goes on behind that frame, without gaps or repeats. Changes are kept for a day: where more was missed, a frame of `event: historyLost` comes first, with `{"lastEventId": "…"}`, and what is still kept follows; read the accounts anew then. Comments keep a silent connection alive.',
  scope: 'api',
  permission: { action: 'read', group: 'events' },
  query: Strict({ lastEventId: Type.Optional(ChangeId) }),
  headers: Type.Object({ 'last-event-id': Type.Optional(ChangeId) }),
  response: Type.String(),
  produces: 'text/event-stream',
})
