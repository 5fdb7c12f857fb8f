import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { Strict, Text } from '../schemas/primitives.ts'

/**
 * Id of a frame in the stream of account changes. The maximum length is larger than needed for any
 * id.
 */
const ChangeId = Text(
  'Id of the last frame of the stream that the client received. The stream continues after this frame. If absent, the stream starts with the next change.',
  {
    maxLength: 64,
    format: 'change-id',
  },
)

export const followChanges = defineOperation({
  id: 'followChanges',
  method: 'get',
  path: '/v1/changes',
  tag: 'Stats',
  summary: 'Follow state changes of all accounts and proxies',
  description:
    'Streams state changes as server-sent events. Each change is sent exactly once, in the same order on all replicas. Frames of `event: message` carry a change as JSON: `{"account": "…", "type": "state", "key": "connected", "payload": null}`. If the account has an error, `payload.error` describes the error. The stream also has changes of type `address` and `syncWarning` of accounts, and `smtpServerState` and `imapProxyServerState` of the proxies. If a replica of a proxy crashes, the stream does not report the state `exited` of the replica. To continue after a disconnect, send the id of the last frame in the header `Last-Event-ID` or in the parameter `lastEventId`: the header takes precedence. Changes are stored for 24 hours. If changes were missed, the first frame is `event: historyLost` with `{"lastEventId": "…"}`, followed by the stored changes: read all accounts again. Comments keep an idle connection open.',
  scope: 'api',
  permission: { action: 'read', group: 'events' },
  query: Strict({ lastEventId: Type.Optional(ChangeId) }),
  headers: Type.Object({ 'last-event-id': Type.Optional(ChangeId) }),
  responseDescription: 'Stream of server-sent events, which stays open.',
  response: Type.String(),
  produces: 'text/event-stream',
})
