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
      description: 'A shared mailbox that the user may read',
    }),
  ),
  delegatedAccount: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The account whose grant is used for it, instead of one of its own',
    }),
  ),
})

const given = {
  provider: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'The id of an OAuth2 application' }),
  ),
  auth: Type.Optional(auth),
  useAuthServer: Type.Optional(
    Type.Boolean({ description: 'Tokens come from the authentication server' }),
  ),
  accessToken: Type.Optional(Token),
  refreshToken: Type.Optional(Token),
  expires: Type.Optional(IsoDate),
}

/** How an account logs in by OAuth2, as it is registered. */
export const OAuth2Config = Strict({
  ...given,
  authorize: Type.Optional(
    Type.Boolean({
      description: 'Register nothing yet: the answer is where the owner consents, for a day',
    }),
  ),
  redirectUrl: Type.Optional(
    Type.String({
      maxLength: 2048,
      format: 'http-url',
      description: 'Where the owner goes then, with `account` and `state`',
    }),
  ),
})
export type OAuth2Config = Static<typeof OAuth2Config>

export const OAuth2Update = Strict({
  ...given,
  partial: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'What is not given stays; otherwise the whole is replaced, but for the tokens',
    }),
  ),
})
export type OAuth2Update = Static<typeof OAuth2Update>

/** The same as read back, tokens masked. */
export const OAuth2Record = Type.Object({
  provider: Type.String(),
  auth: Type.Optional(auth),
  useAuthServer: Type.Optional(Type.Boolean()),
  accessToken: Type.Optional(Type.String({ description: 'Masked' })),
  refreshToken: Type.Optional(Type.String({ description: 'Masked' })),
  expires: Type.Optional(Type.String({ description: 'Of the access token' })),
  scope: Type.Optional(Type.Array(Type.String())),
  tokenType: Type.Optional(Type.String()),
  generated: Type.Optional(Type.String({ description: 'When the access token was' })),
  refreshTokenGenerated: Type.Optional(
    Type.String({ description: 'When the grant was registered or consented to' }),
  ),
})
