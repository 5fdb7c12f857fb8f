import { type Static, Type } from 'typebox'
import { AccountRegistration } from './account.ts'
import { AccountId, Bool, described, MailAddress, Nullable, Strict, Text } from './primitives.ts'

const { name, notifyFrom, path, subconnections } = AccountRegistration.properties

/**
 * Body of `POST /v1/authentication/form`: values of the new account that its owner does not enter
 * in the form.
 */
export const AuthenticationForm = Strict({
  account: Type.Optional(
    described(
      'Id of the account that the hosted form registers. Absent or null: an id is generated.',
      Nullable(AccountId),
    ),
  ),
  name: Type.Optional(name),
  email: Type.Optional(
    described('Email address that the hosted form shows initially.', MailAddress),
  ),
  expectedEmail: Type.Optional(
    described(
      'Email address of the only mailbox that may be connected. The hosted form rejects other mailboxes.',
      MailAddress,
    ),
  ),
  delegated: Type.Optional(
    Bool(
      'If true, `email` is a shared mailbox to which the user who signs in has access. Only for OAuth2 logins. Defaults to false.',
      { default: false },
    ),
  ),
  notifyFrom,
  subconnections,
  path,
  redirectUrl: Text(
    'URL to which the user is redirected after the hosted form, with the query parameters `account` and `state` (`new` or `existing`).',
    { maxLength: 2048, format: 'http-url' },
  ),
  type: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Literal(false)], {
      default: false,
      description:
        'Login method of the hosted form: `imap`, or the id of an OAuth2 application. If false (default), the user chooses the login method.',
    }),
  ),
})
export type AuthenticationForm = Static<typeof AuthenticationForm>
