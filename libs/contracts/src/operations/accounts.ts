import { Type } from 'typebox'
import { defineOperation, operationKinds, resourceOperations } from '../define.ts'
import {
  AccountListEntry,
  AccountRecord,
  AccountRegistration,
  AccountUpdate,
} from '../schemas/account.ts'
import { stateFilters } from '../schemas/account-state.ts'
import {
  AccountId,
  Bool,
  OneOf,
  pageCounts,
  pageQuery,
  Strict,
  Text,
  timeoutHeader,
} from '../schemas/primitives.ts'
import { workerErrors } from './worker-errors.ts'

const params = Strict({ account: AccountId })
const account = resourceOperations(operationKinds('Account', 'account'), params)
const admin = resourceOperations(operationKinds('Account', 'admin'), params)

export const createAccount = defineOperation({
  ...admin.create,
  id: 'createAccount',
  path: '/v1/account',
  summary: 'Register or update an account',
  description:
    'If the account id exists, the account is updated in place. Credentials are not tested by this request: see the state and the events of the account.',
  body: AccountRegistration,
  response: Type.Object({
    account: Type.Optional(Text('Account id.')),
    state: Type.Optional(
      OneOf(['new', 'existing'], { description: '`existing` if the request updated an account.' }),
    ),
    redirect: Type.Optional(
      Text('URL of the consent page. The only member, and only with `oauth2.authorize`.'),
    ),
  }),
  errors: ['AccountAlreadyExists', 'UnsupportedOperation'],
})

export const getAccount = defineOperation({
  ...account.get,
  id: 'getAccount',
  path: '/v1/account/:account',
  summary: 'Read an account with its state',
  query: Strict({
    quota: Type.Optional(
      Bool('If true, adds the storage quota reported by the mail server.', { default: false }),
    ),
  }),
  headers: Type.Object(timeoutHeader),
  response: AccountRecord,
  errors: workerErrors,
})

export const updateAccount = defineOperation({
  ...admin.update,
  id: 'updateAccount',
  path: '/v1/account/:account',
  summary: 'Change an account',
  description:
    'A stored password or access token is never sent to a new host: a request that changes `host` must include it. ' +
    'A token that is bound to an account cannot change the user, server, TLS options or proxy of stored credentials, and cannot set another proxy.',
  body: AccountUpdate,
  response: Type.Object({
    account: Text('Account id.'),
    redirect: Type.Optional(Text('URL of the consent page. Only with `oauth2.authorize`.')),
  }),
  errors: ['AccountAlreadyExists', 'UnsupportedOperation'],
})

export const listAccounts = defineOperation({
  ...account.list,
  id: 'listAccounts',
  path: '/v1/accounts',
  summary: 'List accounts',
  query: Strict({
    ...pageQuery,
    state: Type.Optional(
      OneOf(stateFilters, { description: '`state` or `stateDetail` of the accounts.' }),
    ),
    query: Type.Optional(Text('Text contained in the id, name or address.', { maxLength: 256 })),
  }),
  response: Type.Object({
    ...pageCounts,
    query: Type.Union([Type.String(), Type.Literal(false)], {
      description: 'Requested text. False if there was none.',
    }),
    state: Text('Requested state. `*` if there was none.'),
    accounts: Type.Array(AccountListEntry, { description: 'Accounts of this page.' }),
  }),
})

export const deleteAccount = defineOperation({
  ...account.delete,
  id: 'deleteAccount',
  path: '/v1/account/:account',
  summary: 'Delete an account',
  description:
    'Also deletes its credentials, mailbox index, queued messages and tokens. Messages on the mail server are not deleted.',
  query: Strict({
    revoke: Type.Optional(
      Bool('If true, also revokes the OAuth2 grant at the provider (RFC 7009).', {
        default: false,
      }),
    ),
  }),
  response: Type.Object({ account: Text('Account id.'), deleted: Bool('Always true.') }),
})
