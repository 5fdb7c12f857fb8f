import { type Static, Type } from 'typebox'
import { Bool, Strict, Text, Texts, Time } from './primitives.ts'

const line = { minLength: 1, maxLength: 256, format: 'one-line' }
const token = { ...line, maxLength: 16_384 }

const auth = Strict(
  {
    user: Type.Optional(
      Text('Login name of the user at the OAuth2 provider, usually the email address.', line),
    ),
    delegatedUser: Type.Optional(
      Text(
        'Email address of a shared mailbox that the account uses instead of the mailbox of the user. The user needs access to the shared mailbox.',
        line,
      ),
    ),
    delegatedAccount: Type.Optional(
      Text('Id of another account whose OAuth2 grant is used. The account stores no grant then.', {
        minLength: 1,
        maxLength: 256,
      }),
    ),
  },
  {
    description:
      'User at the OAuth2 provider (`user`). For access to another mailbox, also the shared mailbox (`delegatedUser`) or the account with the OAuth2 grant (`delegatedAccount`).',
  },
)

const useAuthServer = Type.Optional(
  Bool(
    'If true, access tokens are requested from the authentication server (setting `authServer`), not from the OAuth2 provider.',
  ),
)
const common = {
  provider: Type.Optional(
    Text('Id of the OAuth2 application through which the account accesses the mailbox.', {
      minLength: 1,
      maxLength: 256,
    }),
  ),
  auth: Type.Optional(auth),
  useAuthServer,
  accessToken: Type.Optional(
    Text(
      'OAuth2 access token that the caller has received from the provider. Stored encrypted.',
      token,
    ),
  ),
  refreshToken: Type.Optional(
    Text(
      'OAuth2 refresh token from the provider, with which access tokens are requested. Stored encrypted.',
      token,
    ),
  ),
  expires: Type.Optional(Time('Time at which the access token expires (ISO 8601).')),
}

const redirectUrl = Type.Optional(
  Text(
    'URL to which the browser of the owner is redirected after the consent, with the query parameters `account` and `state`. Only with `authorize`.',
    { maxLength: 2048, format: 'http-url' },
  ),
)
const consentLink =
  'The response contains the URL of the consent page, valid for 24 h. After the URL is opened, the owner must consent within 1 h in the same browser.'

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
      `If true, nothing changes until the owner consents. All fields of the request then apply together. ${consentLink} Consent of a user other than the login name of the account is refused, unless \`oauth2.auth.user\` names that user.`,
    ),
  ),
  redirectUrl,
  partial: Type.Optional(
    Bool(
      'If true, absent members of `oauth2` keep their stored values. If false (default), the whole object except the tokens is replaced.',
      { default: false },
    ),
  ),
})
export type OAuth2Update = Static<typeof OAuth2Update>

/** Members that describe why an OAuth2 consent of an account failed. */
const consentFailure = {
  error: Text(
    'Error code of the provider for the failed OAuth2 consent (RFC 6749 §4.1.2.1 and §5.2), such as `access_denied`. `unknown_error` if the provider sends no code.',
  ),
  description: Type.Optional(Text('Explanation of the failed OAuth2 consent by the provider.')),
  code: Type.Optional(
    Text(
      'Error code of Microsoft for the failed OAuth2 consent, such as `AADSTS90094`. Absent for other providers.',
    ),
  ),
  remedy: Type.Optional(Text('Action that repairs the failed OAuth2 consent. Absent if unknown.')),
}
const ConsentFailure = Type.Object(consentFailure)
/** Failure of an account's OAuth2 consent, as stored in the database. */
export type ConsentFailure = Static<typeof ConsentFailure>

const ConsentError = Type.Object(
  { ...consentFailure, time: Text('Time at which the OAuth2 consent failed (ISO 8601).') },
  {
    description:
      'Failure of the last OAuth2 consent for the account. Absent after a successful consent.',
  },
)

export const OAuth2Record = Type.Object({
  provider: Text('Id of the OAuth2 application of the account.'),
  auth: Type.Optional(auth),
  useAuthServer,
  accessToken: Type.Optional(
    Text('Masked access token: `******`. Absent if the account has no OAuth2 grant.'),
  ),
  refreshToken: Type.Optional(
    Text('Masked refresh token: `******`. Absent if the account has no OAuth2 grant.'),
  ),
  expires: Type.Optional(Text('Time at which the access token expires (ISO 8601).')),
  scope: Type.Optional(Texts('OAuth2 scopes of the stored access token.')),
  tokenType: Type.Optional(Text('Type of the stored access token: `Bearer`.')),
  generated: Type.Optional(Text('Time at which the stored access token was issued (ISO 8601).')),
  refreshTokenGenerated: Type.Optional(
    Text(
      'Time of the registration or consent that created the OAuth2 grant of the account (ISO 8601).',
    ),
  ),
  mailboxAddress: Type.Optional(
    Text(
      'Email address of the mailbox as the mail API reports the address. Absent if this address is the login name, and for accounts without a mail API.',
    ),
  ),
  consentError: Type.Optional(ConsentError),
})
