import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import {
  AccountTransfer,
  ApplicationIds,
  SealingKey,
  SealingPublicKey,
  transferRejections,
} from '../schemas/account-transfer.ts'
import { AccountId, Bool, Int, Nullable, OneOf, Strict, Text, Time } from '../schemas/primitives.ts'

const { read, write } = operationKinds('Account transfer', 'admin', '*')

/** Maximum number of accounts in a response of `exportAccounts`. */
const maxExported = 250
/** Maximum number of accounts in a request of `importAccounts`. */
const maxImported = 100

export const listKeys = defineOperation({
  ...read,
  id: 'listKeys',
  method: 'get',
  path: '/admin/api/keys',
  summary: 'List the public sealing keys',
  description:
    'Lists the public keys with which this instance seals (encrypts) secrets. Another instance exports accounts for the current key.',
  responseDescription: 'Public sealing keys of this instance.',
  response: Type.Object({
    keys: Type.Array(SealingKey, { description: 'Public sealing keys, the current key first.' }),
  }),
})

export const exportAccounts = defineOperation({
  ...write,
  id: 'exportAccounts',
  method: 'post',
  path: '/admin/api/accountExports',
  summary: 'Export accounts for another instance',
  description:
    'Returns the settings of accounts, with all secrets sealed (encrypted) for the public key of another instance. The key must be listed in `SVC_ACCOUNT_EXPORT_KEYS` of auth-bridge. Nothing is changed.',
  body: Strict({
    publicKey: SealingPublicKey,
    accounts: Type.Optional(
      Type.Array(AccountId, {
        maxItems: 1000,
        description:
          'Ids of the accounts to export. Ids without an account are skipped. Absent: all accounts.',
      }),
    ),
    cursor: Type.Optional(
      Text('Cursor of the page: `nextCursor` of the previous response.', { maxLength: 2048 }),
    ),
    pageSize: Type.Optional(
      Int('Maximum number of accounts in the response. Defaults to 100.', {
        minimum: 1,
        maximum: maxExported,
        default: 100,
      }),
    ),
  }),
  responseDescription: 'One page of the exported accounts, with the cursor of the next page.',
  response: Type.Object({
    accounts: Type.Array(AccountTransfer, {
      description: 'Exported accounts of this page, ordered by id.',
    }),
    failed: Type.Array(
      Type.Object({
        account: AccountId,
        message: Text('Reason for which the account was not exported.'),
      }),
      {
        description:
          'Accounts of this page that were not exported, because no private key of auth-bridge unseals one of their secrets.',
      },
    ),
    nextCursor: Nullable(
      Text('Cursor of the next page, for the member `cursor`. Null on the last page.'),
    ),
  }),
  errors: ['ApiEndpointDisabled', 'InvalidCursorValue', 'WorkerNotAvailable', 'Timeout'],
})

export const importAccounts = defineOperation({
  ...write,
  id: 'importAccounts',
  method: 'post',
  path: '/admin/api/accountImports',
  summary: 'Import accounts from another instance',
  description:
    'Registers accounts that another instance has exported for a key of this instance. Existing accounts stay unchanged, so that a request can be repeated. auth-bridge checks every secret before its account is stored.',
  bodyLimit: 'upload',
  body: Strict({
    accounts: Type.Array(AccountTransfer, {
      minItems: 1,
      maxItems: maxImported,
      description: 'Accounts from responses of `POST /admin/api/accountExports`.',
    }),
    applications: Type.Optional(ApplicationIds),
    paused: Type.Optional(
      Bool(
        'If true, the imported accounts are paused. If false, they are not. Absent: as exported.',
      ),
    ),
    notifyFrom: Type.Optional(
      Time(
        'Time of receipt from which messages of the imported accounts are announced (ISO 8601). Defaults to the time of the import. A later exported time stays.',
      ),
    ),
  }),
  responseDescription: 'Result of each account, in the order of the request.',
  response: Type.Object({
    results: Type.Array(
      Type.Object({
        account: AccountId,
        result: OneOf(['imported', 'exists', 'rejected'], {
          description:
            '`imported`: the account is registered. `exists`: an account with the id exists and is unchanged. `rejected`: nothing is stored, see `reason`.',
        }),
        reason: Type.Optional(
          OneOf(transferRejections, {
            description:
              'Reason of the rejection. `invalid`: a member is invalid. `unknownApplication`: the OAuth2 application does not exist, or is for another provider. `userExists`: another account logs in as the same OAuth2 user. `otherKey`: a secret is sealed for another instance. `otherUse`: a secret was changed, or is sealed for another account, server, user or application.',
          }),
        ),
        message: Type.Optional(Text('Explanation of the rejection.')),
      }),
      { description: 'Results of the accounts, in the order of the request.' },
    ),
  }),
  errors: ['WorkerNotAvailable', 'Timeout'],
})
