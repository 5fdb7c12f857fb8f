import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { imapIndexer, notifyFrom } from '../schemas/account.ts'
import { AccountId, Bool, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { workerErrors } from './worker-errors.ts'
import { ServerSignatures } from '../schemas/server-signatures.ts'

const { read, write, destructive } = operationKinds('Account', 'account')
const params = Strict({ account: AccountId })
const confirmed = Type.Optional(
  Bool('Must be true, otherwise nothing is done.', { default: false }),
)

export const reconnectAccount = defineOperation({
  ...write,
  id: 'reconnectAccount',
  method: 'put',
  path: '/v1/account/:account/reconnect',
  summary: 'Reconnect an account',
  description:
    'Closes and reopens the connections of the account. Also resumes syncing that was switched off after repeated authentication failures.',
  params,
  body: Strict({ reconnect: confirmed }),
  response: Type.Object({ reconnect: Bool('True if the account reconnects.') }),
})

export const syncAccount = defineOperation({
  ...write,
  id: 'syncAccount',
  method: 'put',
  path: '/v1/account/:account/sync',
  summary: 'Sync all mailboxes of an account',
  description: 'Responds when the sync has started.',
  params,
  headers: Type.Object(timeoutHeader),
  body: Strict({ sync: confirmed }),
  response: Type.Object({ sync: Bool('True if the sync has started.') }),
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
    'Deletes and rebuilds the index. Message ids remain valid. The only events are `messageNew` for messages that arrived since `notifyFrom`.',
  params,
  body: Strict({
    flush: confirmed,
    notifyFrom,
    imapIndexer,
  }),
  response: Type.Object({ flush: Bool('True if the index is rebuilt.') }),
})

export const getServerSignatures = defineOperation({
  ...read,
  id: 'getServerSignatures',
  method: 'get',
  path: '/v1/account/:account/server-signatures',
  summary: 'List signatures stored by the provider',
  description:
    'Gmail API only: signatures of the addresses that the mailbox may send as, as the provider stores them. The HTML is not sanitized.',
  params,
  headers: Type.Object(timeoutHeader),
  response: ServerSignatures,
  errors: workerErrors,
})
