import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import {
  AccountListEntry,
  AccountRecord,
  AccountRegistration,
  accountStates,
  AccountUpdate,
} from '../schemas/account.ts'
import {
  AccountId,
  OneOf,
  pageCounts,
  pageQuery,
  Strict,
  timeoutHeader,
} from '../schemas/primitives.ts'
import { workerErrors } from './worker-errors.ts'

const params = Strict({ account: AccountId })

export const createAccount = defineOperation({
  id: 'createAccount',
  method: 'post',
  path: '/v1/account',
  tag: 'Account',
  summary: 'Register or update an account',
  description:
    'If the account id exists, the account is updated in place. Credentials are not tested by this request: see the state and the events of the account.',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  body: AccountRegistration,
  response: Type.Object({
    account: Type.Optional(Type.String()),
    state: Type.Optional(OneOf(['new', 'existing'])),
    redirect: Type.Optional(
      Type.String({
        description: 'URL of the consent page. The only member, and only with `oauth2.authorize`.',
      }),
    ),
  }),
  errors: ['AccountAlreadyExists', 'UnsupportedOperation'],
})

export const getAccount = defineOperation({
  id: 'getAccount',
  method: 'get',
  path: '/v1/account/:account',
  tag: 'Account',
  summary: 'Read an account with its state',
  scope: 'api',
  permission: { action: 'read', group: 'account' },
  params,
  query: Strict({
    quota: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'If true, adds the storage quota reported by the mail server.',
      }),
    ),
  }),
  headers: Type.Object(timeoutHeader),
  response: AccountRecord,
  errors: workerErrors,
})

export const updateAccount = defineOperation({
  id: 'updateAccount',
  method: 'put',
  path: '/v1/account/:account',
  tag: 'Account',
  summary: 'Change an account',
  description:
    'A stored password is never sent to a new host: a request that changes `host` must include the password.',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  params,
  body: AccountUpdate,
  response: Type.Object({ account: Type.String() }),
  errors: ['AccountAlreadyExists', 'UnsupportedOperation'],
})

export const listAccounts = defineOperation({
  id: 'listAccounts',
  method: 'get',
  path: '/v1/accounts',
  tag: 'Account',
  summary: 'List accounts',
  scope: 'api',
  permission: { action: 'read', group: 'account' },
  query: Strict({
    ...pageQuery,
    state: Type.Optional(OneOf(accountStates)),
    query: Type.Optional(
      Type.String({ maxLength: 256, description: 'Text contained in the id, name or address.' }),
    ),
  }),
  response: Type.Object({
    ...pageCounts,
    query: Type.Union([Type.String(), Type.Literal(false)]),
    state: Type.String(),
    accounts: Type.Array(AccountListEntry),
  }),
})

export const deleteAccount = defineOperation({
  id: 'deleteAccount',
  method: 'delete',
  path: '/v1/account/:account',
  tag: 'Account',
  summary: 'Delete an account',
  description:
    'Also deletes its credentials, mailbox index, queued messages and tokens. Messages on the mail server are not deleted.',
  scope: 'api',
  permission: { action: 'destructive', group: 'account' },
  params,
  query: Strict({
    revoke: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'If true, also revokes the OAuth2 grant at the provider (RFC 7009).',
      }),
    ),
  }),
  response: Type.Object({ account: Type.String(), deleted: Type.Boolean() }),
})
