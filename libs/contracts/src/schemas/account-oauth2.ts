import { type Static, Type } from 'typebox'
import { Bool, Strict, Text, Texts, Time } from './primitives.ts'

const line = { minLength: 1, maxLength: 256, format: 'one-line' }
const token = { ...line, maxLength: 16_384 }

const auth = Strict(
  {
    user: Type.Optional(Text('Login name of the user, usually the email address.', line)),
    delegatedUser: Type.Optional(Text('Shared mailbox to which the user has access.', line)),
    delegatedAccount: Type.Optional(
      Text('Account whose grant is used instead of an own grant.', {
        minLength: 1,
        maxLength: 256,
      }),
    ),
  },
  { description: 'User of the mailbox, and the delegation, if any.' },
)

const useAuthServer = Type.Optional(
  Bool('If true, access tokens are requested from the authentication server.'),
)
const common = {
  provider: Type.Optional(Text('Id of an OAuth2 application.', { minLength: 1, maxLength: 256 })),
  auth: Type.Optional(auth),
  useAuthServer,
  accessToken: Type.Optional(Text('Access token of the provider.', token)),
  refreshToken: Type.Optional(Text('Refresh token of the provider.', token)),
  expires: Type.Optional(Time('Expiry time of the access token (ISO 8601).')),
}

const redirectUrl = Type.Optional(
  Text(
    'URL to which the owner is redirected after consent, with the parameters `account` and `state`.',
    { maxLength: 2048, format: 'http-url' },
  ),
)
const consentLink =
  'The response contains a URL for the browser of the owner, valid for 24 hours, which leads to the consent page. The browser that opens it must finish within one hour.'

/** OAuth2 login of an account, as given in the registration of the account. */
export const OAuth2Config = Strict({
  ...common,
  authorize: Type.Optional(Bool(`If true, the account is not created. ${consentLink}`)),
  redirectUrl,
})
export type OAuth2Config = Static<typeof OAuth2Config>

export const OAuth2Update = Strict({
  ...common,
  authorize: Type.Optional(
    Bool(
      `If true, nothing changes until the owner consents; then all fields of the request apply together. ${consentLink} Consent of a user other than the login name of the account is refused, unless \`oauth2.auth.user\` names that user.`,
    ),
  ),
  redirectUrl,
  partial: Type.Optional(
    Bool(
      'If true, absent members keep their value. Otherwise the whole object except the tokens is replaced.',
      { default: false },
    ),
  ),
})
export type OAuth2Update = Static<typeof OAuth2Update>

/** Members that describe why an OAuth2 consent of an account failed. */
const consentFailure = {
  error: Text(
    'Error code of the provider (RFC 6749 §4.1.2.1 and §5.2), such as `access_denied`; `unknown_error` if the provider sends none.',
  ),
  description: Type.Optional(Text('Explanation of the provider.')),
  code: Type.Optional(Text('Code of Microsoft, such as `AADSTS90094`.')),
  remedy: Type.Optional(Text('Action that repairs the failure, if it is known.')),
}
const ConsentFailure = Type.Object(consentFailure)
/** Failure of an account's OAuth2 consent, as stored in the database. */
export type ConsentFailure = Static<typeof ConsentFailure>

const ConsentError = Type.Object(
  { ...consentFailure, time: Text('Time of the failure (ISO 8601).') },
  { description: 'Failure of the last consent. Absent after a consent that succeeded.' },
)

export const OAuth2Record = Type.Object({
  provider: Text('Id of the OAuth2 application.'),
  auth: Type.Optional(auth),
  useAuthServer,
  accessToken: Type.Optional(Text('Masked access token.')),
  refreshToken: Type.Optional(Text('Masked refresh token.')),
  expires: Type.Optional(Text('Expiry time of the access token (ISO 8601).')),
  scope: Type.Optional(Texts('Scopes of the access token.')),
  tokenType: Type.Optional(Text('Type of the access token: `Bearer`.')),
  generated: Type.Optional(Text('Time the access token was issued (ISO 8601).')),
  refreshTokenGenerated: Type.Optional(
    Text('Time of the registration or consent that created the grant (ISO 8601).'),
  ),
  mailboxAddress: Type.Optional(
    Text(
      'Address of the mailbox at its provider, for accounts of an API. Absent if it is the login name.',
    ),
  ),
  consentError: Type.Optional(ConsentError),
})
