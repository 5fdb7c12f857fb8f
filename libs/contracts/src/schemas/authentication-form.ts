import { type Static, Type } from 'typebox'
import { AccountRegistration } from './account.ts'
import { AccountId, MailAddress, Nullable, Strict } from './primitives.ts'

const { name, notifyFrom, path, subconnections } = AccountRegistration.properties

/** What `POST /v1/authentication/form` takes: what is known of the account before its owner fills in the rest. */
export const AuthenticationForm = Strict({
  account: Type.Optional(Nullable(AccountId)),
  name: Type.Optional(name),
  email: Type.Optional(MailAddress),
  expectedEmail: Type.Optional({
    ...MailAddress,
    description: 'The one mailbox that may be connected; any other is refused',
  }),
  delegated: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'By OAuth2: `email` is a shared mailbox that the person who signs in may use',
    }),
  ),
  notifyFrom,
  subconnections,
  path,
  redirectUrl: Type.String({
    maxLength: 2048,
    format: 'http-url',
    description: 'Where the person goes in the end, with `account` and `state` (`new`, `existing`)',
  }),
  type: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Literal(false)], {
      default: false,
      description: '`imap` or the id of an OAuth2 application: the person does not choose',
    }),
  ),
})
export type AuthenticationForm = Static<typeof AuthenticationForm>
