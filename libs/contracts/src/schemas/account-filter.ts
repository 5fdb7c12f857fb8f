import { Type } from 'typebox'
import { accountTypes, type Backend, oauth2Providers } from '../account-types/index.ts'
import { stateFilters } from './account-state.ts'
import { OneOf, Text } from './primitives.ts'

const backends = Object.keys(accountTypes) as Backend[]

/** Maximum length of a text for which accounts or submissions are searched, in characters. */
export const maxSearchLength = 256

/**
 * Members by which accounts are selected, for lists of accounts and for jobs on accounts. Absent
 * members match any account.
 */
export const accountFilter = {
  state: Type.Optional(
    OneOf(stateFilters, {
      description:
        'State of the accounts: a value of `state` or of `stateDetail`. If absent, accounts in all states are selected.',
    }),
  ),
  errorCode: Type.Optional(
    Text(
      'Value of `lastError.serverResponseCode` of the accounts, such as `AUTHENTICATIONFAILED`.',
      { minLength: 1, maxLength: 256 },
    ),
  ),
  backend: Type.Optional(
    OneOf(backends, {
      description:
        'Mail system of the accounts: `imap`, `gmail` (Gmail API) or `graph` (Microsoft Graph).',
    }),
  ),
  provider: Type.Optional(
    OneOf(oauth2Providers, {
      description:
        'Provider of the OAuth2 application of the accounts. Accounts with a password have no provider.',
    }),
  ),
  worker: Type.Optional(
    Text('Id of the worker (`listWorkers`) that holds the shards of the accounts.', {
      format: 'uuid',
    }),
  ),
}
