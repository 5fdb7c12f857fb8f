import { oauth2Providers } from '../account-types/index.ts'
import { OneOf } from './primitives.ts'

/** Kinds of accounts. The kind of an OAuth2 account is the kind of its OAuth2 application. */
const accountKinds = [
  'imap',
  'sending',
  ...oauth2Providers,
  'oauth2',
  'delegated',
  'invalid',
] as const

export const AccountKind = OneOf(accountKinds, {
  description:
    'Kind of the account: the provider of the OAuth2 application, `imap`, `sending` (no mailbox) or `delegated` (OAuth2 grant of another account). `oauth2`: the OAuth2 application does not exist. `invalid`: the account with the grant does not exist.',
})
