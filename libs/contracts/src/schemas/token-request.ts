import { type Static, Type } from 'typebox'

/** What a token endpoint was asked and what it said. Secrets and tokens are not in it. */
export const TokenRequestInfo = Type.Object({
  url: Type.Optional(Type.String()),
  method: Type.Optional(Type.String()),
  grant: Type.Optional(
    Type.String({
      description:
        '`refresh_token`, `authorization_code`, `client_credentials` or a JWT bearer grant',
    }),
  ),
  provider: Type.Optional(Type.String()),
  status: Type.Optional(Type.Integer()),
  clientId: Type.Optional(Type.String()),
  authority: Type.Optional(Type.String()),
  serviceClient: Type.Optional(Type.String()),
  serviceClientEmail: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
  flag: Type.Optional(
    Type.Object(
      { message: Type.String(), code: Type.Optional(Type.String()) },
      { description: 'What an operator has to do about the application' },
    ),
  ),
  userFlag: Type.Optional(
    Type.Object({ message: Type.String() }, { description: 'What the owner has to do' }),
  ),
  scopes: Type.Optional(Type.Array(Type.String())),
  response: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
export type TokenRequestInfo = Static<typeof TokenRequestInfo>
