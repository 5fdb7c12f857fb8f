import { type Static, Type } from 'typebox'
import { IsoDate, Strict } from './primitives.ts'

const Name = Type.String({ minLength: 1, maxLength: 256, format: 'one-line' })
const Token = Type.String({ minLength: 1, maxLength: 16_384, format: 'one-line' })

const auth = Strict({
  user: Type.Optional(Name),
  delegatedUser: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      format: 'one-line',
      description: 'Shared mailbox to which the user has access.',
    }),
  ),
  delegatedAccount: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Account whose grant is used instead of an own grant.',
    }),
  ),
})

const common = {
  provider: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'Id of an OAuth2 application.' }),
  ),
  auth: Type.Optional(auth),
  useAuthServer: Type.Optional(
    Type.Boolean({
      description: 'If true, access tokens are requested from the authentication server.',
    }),
  ),
  accessToken: Type.Optional(Token),
  refreshToken: Type.Optional(Token),
  expires: Type.Optional(IsoDate),
}

/** OAuth2 login of an account, as registered. */
export const OAuth2Config = Strict({
  ...common,
  authorize: Type.Optional(
    Type.Boolean({
      description:
        'If true, the account is not created. The response contains the URL of the consent page, valid for 24 hours.',
    }),
  ),
  redirectUrl: Type.Optional(
    Type.String({
      maxLength: 2048,
      format: 'http-url',
      description:
        'URL to which the owner is redirected after consent, with the parameters `account` and `state`.',
    }),
  ),
})
export type OAuth2Config = Static<typeof OAuth2Config>

export const OAuth2Update = Strict({
  ...common,
  partial: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'If true, absent members keep their value. Otherwise the whole object except the tokens is replaced.',
    }),
  ),
})
export type OAuth2Update = Static<typeof OAuth2Update>

/** OAuth2 login as returned by the API, with masked tokens. */
export const OAuth2Record = Type.Object({
  provider: Type.String(),
  auth: Type.Optional(auth),
  useAuthServer: Type.Optional(Type.Boolean()),
  accessToken: Type.Optional(Type.String({ description: 'Masked access token.' })),
  refreshToken: Type.Optional(Type.String({ description: 'Masked refresh token.' })),
  expires: Type.Optional(
    Type.String({ description: 'Expiry time of the access token (ISO 8601).' }),
  ),
  scope: Type.Optional(Type.Array(Type.String())),
  tokenType: Type.Optional(Type.String()),
  generated: Type.Optional(
    Type.String({ description: 'Time the access token was issued (ISO 8601).' }),
  ),
  refreshTokenGenerated: Type.Optional(
    Type.String({
      description: 'Time of the registration or consent that created the grant (ISO 8601).',
    }),
  ),
})
