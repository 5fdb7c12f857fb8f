import { Type } from 'typebox'
import { defineOperation, operationKinds, resourceOperations } from '../define.ts'
import {
  AccountListEntry,
  AccountRecord,
  AccountRegistration,
  AccountUpdate,
} from '../schemas/account.ts'
import { accountFilter, maxSearchLength } from '../schemas/account-filter.ts'
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
    'Registers an account: a mail login with its servers or mail provider. If the account id exists, the account is updated in place. The request does not test the credentials: read the state of the account, or wait for the events `authenticationSuccess`, `authenticationError` and `connectError`.',
  body: AccountRegistration,
  responseDescription:
    'Id of the account and whether the account is new. With `oauth2.authorize`, only the URL of the consent page.',
  response: Type.Object({
    account: Type.Optional(Text('Id of the account. Absent with `oauth2.authorize`.')),
    state: Type.Optional(
      OneOf(['new', 'existing'], {
        description:
          '`new` if the request registered the account, `existing` if the request updated an existing account.',
      }),
    ),
    redirect: Type.Optional(
      Text(
        'URL of the page on which the owner of the mailbox consents, valid for 24 hours. Only with `oauth2.authorize`: the response then has no other member.',
      ),
    ),
  }),
  errors: ['AccountAlreadyExists', 'UnsupportedOperation'],
})

export const getAccount = defineOperation({
  ...account.get,
  id: 'getAccount',
  path: '/v1/account/:account',
  summary: 'Read an account with its state',
  description:
    'Reads the settings, the state and the last error of an account. With `quota`, the mail server is asked for the storage quota, so that the request needs the worker of the account. Without `quota`, the response comes from the database and is available in every state.',
  query: Strict({
    quota: Type.Optional(
      Bool(
        'If true, the response contains the storage quota that the mail server reports. Defaults to false.',
        {
          default: false,
        },
      ),
    ),
  }),
  headers: Type.Object(timeoutHeader),
  responseDescription:
    'The account with its settings, state and last error. Passwords and tokens are masked as `******`.',
  response: AccountRecord,
  errors: workerErrors,
})

export const updateAccount = defineOperation({
  ...admin.update,
  id: 'updateAccount',
  path: '/v1/account/:account',
  summary: 'Change an account',
  description:
    'Changes an account: the members that the request contains. Absent members keep their values, `null` and `false` remove a value. A stored password or access token is never sent to a new host: a request that changes `host` must include the password or access token. A token that is bound to an account cannot change the user, server, TLS options or proxy of stored credentials, and cannot set another proxy. With `oauth2.authorize`, nothing changes until the owner of the mailbox has consented.',
  body: AccountUpdate,
  responseDescription:
    'Id of the account. With `oauth2.authorize`, also the URL of the consent page.',
  response: Type.Object({
    account: Text('Id of the account.'),
    redirect: Type.Optional(
      Text(
        'URL of the page on which the owner of the mailbox consents, valid for 24 hours. Only with `oauth2.authorize`.',
      ),
    ),
  }),
  errors: ['AccountAlreadyExists', 'UnsupportedOperation'],
})

export const listAccounts = defineOperation({
  ...account.list,
  id: 'listAccounts',
  path: '/v1/accounts',
  summary: 'List accounts',
  description:
    'Lists accounts with their states, sorted by account id. The query selects accounts by state, error, mail system, provider and worker, and by a text in id, name or address.',
  query: Strict({
    ...pageQuery,
    ...accountFilter,
    query: Type.Optional(
      Text(
        'Text that the id, the name or the email address of the listed accounts contains, ignoring case. If absent, all accounts are listed.',
        { maxLength: maxSearchLength },
      ),
    ),
  }),
  responseDescription: 'One page of the accounts, sorted by account id.',
  response: Type.Object({
    ...pageCounts,
    query: Type.Union([Type.String(), Type.Literal(false)], {
      description:
        'Value of the parameter `query` of the request. False if the request had no such parameter.',
    }),
    state: Text(
      'Value of the parameter `state` of the request. `*` if the request had no such parameter.',
    ),
    accounts: Type.Array(AccountListEntry, { description: 'Accounts of this page, sorted by id.' }),
  }),
})

export const deleteAccount = defineOperation({
  ...account.delete,
  id: 'deleteAccount',
  path: '/v1/account/:account',
  summary: 'Delete an account',
  description:
    'Deletes an account with its credentials, mailbox index, queued messages and tokens. Messages on the mail server are not deleted.',
  query: Strict({
    revoke: Type.Optional(
      Bool(
        'If true, the OAuth2 grant of the account is also revoked at the provider (RFC 7009). A new account then needs a new consent. Defaults to false.',
        {
          default: false,
        },
      ),
    ),
  }),
  responseDescription: 'Id of the deleted account.',
  response: Type.Object({
    account: Text('Id of the deleted account.'),
    deleted: Bool('Always true: a failed request gets an error response.'),
  }),
})
