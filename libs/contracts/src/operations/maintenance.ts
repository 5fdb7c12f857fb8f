import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { imapIndexer, notifyFrom } from '../schemas/account-options.ts'
import { AccountId, Bool, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { workerErrors } from './worker-errors.ts'
import { ServerSignatures } from '../schemas/server-signatures.ts'

const { read, write, destructive } = operationKinds('Account', 'account')
const params = Strict({ account: AccountId })
const confirmed = Type.Optional(
  Bool('Confirmation: must be true, otherwise the request does nothing.', { default: false }),
)

export const reconnectAccount = defineOperation({
  ...write,
  id: 'reconnectAccount',
  method: 'put',
  path: '/v1/account/:account/reconnect',
  summary: 'Reconnect an account',
  description:
    'Closes and reopens the connections of an account to its mail server. Also resumes syncing that was switched off after repeated authentication failures. A paused account is rejected. Does nothing unless `reconnect` is true.',
  params,
  body: Strict({ reconnect: confirmed }),
  responseDescription: 'Whether the account reconnects.',
  response: Type.Object({
    reconnect: Bool(
      'True if the account reconnects, false if `reconnect` in the request was not true.',
    ),
  }),
  errors: ['NoAvailable'],
})

export const syncAccount = defineOperation({
  ...write,
  id: 'syncAccount',
  method: 'put',
  path: '/v1/account/:account/sync',
  summary: 'Sync all mailboxes of an account',
  description:
    'Starts a sync of all mailboxes of an account. The response is sent when the sync has started, not at its end. Does nothing unless `sync` is true.',
  params,
  headers: Type.Object(timeoutHeader),
  body: Strict({ sync: confirmed }),
  responseDescription: 'Whether the sync has started.',
  response: Type.Object({
    sync: Bool('True if the sync has started, false if `sync` in the request was not true.'),
  }),
  errors: [
    'NotYetConnected',
    'AuthenticationFails',
    'ConnectionError',
    'NotSyncing',
    'NoAvailable',
    'WorkerNotAvailable',
    'Timeout',
  ],
})

export const flushAccount = defineOperation({
  ...destructive,
  id: 'flushAccount',
  method: 'put',
  path: '/v1/account/:account/flush',
  summary: 'Rebuild the mailbox index of an account',
  description:
    'Deletes and rebuilds the mailbox index of an account. Message ids remain valid. The only events are `messageNew` for messages that arrived since `notifyFrom`. A paused account is rejected. Does nothing unless `flush` is true.',
  params,
  body: Strict({
    flush: confirmed,
    notifyFrom,
    imapIndexer,
  }),
  responseDescription:
    'The request to rebuild the mailbox index is stored. The rebuild follows in the background.',
  response: Type.Object({
    flush: Bool(
      'True if the mailbox index is rebuilt, false if `flush` in the request was not true.',
    ),
  }),
  errors: ['NoAvailable'],
})

export const getServerSignatures = defineOperation({
  ...read,
  id: 'getServerSignatures',
  method: 'get',
  path: '/v1/account/:account/server-signatures',
  summary: 'List signatures stored by the provider',
  description:
    'Reads the email signatures that the Gmail API stores for the sender addresses of the mailbox. The HTML is not sanitized. Other providers store no signatures: `signaturesSupported` is then false.',
  params,
  headers: Type.Object(timeoutHeader),
  responseDescription: 'Email signatures by sender address.',
  response: ServerSignatures,
  errors: workerErrors,
})
