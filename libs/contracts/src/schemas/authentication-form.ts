import { type Static, Type } from 'typebox'
import { AccountRegistration } from './account.ts'
import { AccountId, MailAddress, Nullable, Strict } from './primitives.ts'

const { name, notifyFrom, path, subconnections } = AccountRegistration.properties

/** Body of `POST /v1/authentication/form`: values of the account that its owner does not enter. */
export const AuthenticationForm = Strict({
  account: Type.Optional(Nullable(AccountId)),
  name: Type.Optional(name),
  email: Type.Optional(MailAddress),
  expectedEmail: Type.Optional({
    ...MailAddress,
    description: 'Address of the only mailbox that may be connected. Others are rejected.',
  }),
  delegated: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'For OAuth2: if true, `email` is a shared mailbox to which the user who signs in has access.',
    }),
  ),
  notifyFrom,
  subconnections,
  path,
  redirectUrl: Type.String({
    maxLength: 2048,
    format: 'http-url',
    description:
      'URL to which the user is redirected at the end, with the parameters `account` and `state` (`new` or `existing`).',
  }),
  type: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Literal(false)], {
      default: false,
      description:
        'Fixed login method: `imap` or the id of an OAuth2 application. If false, the user chooses.',
    }),
  ),
})
export type AuthenticationForm = Static<typeof AuthenticationForm>
