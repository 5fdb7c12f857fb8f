import { type Static, Type } from 'typebox'

/** Request to a token endpoint and its response, without secrets and tokens. */
export const TokenRequestInfo = Type.Object({
  url: Type.Optional(Type.String()),
  method: Type.Optional(Type.String()),
  grant: Type.Optional(
    Type.String({
      description:
        'Grant type: `refresh_token`, `authorization_code`, `client_credentials` or a JWT bearer grant.',
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
      { description: 'Action that an operator must take on the application.' },
    ),
  ),
  userFlag: Type.Optional(
    Type.Object(
      { message: Type.String() },
      { description: 'Action that the owner of the account must take.' },
    ),
  ),
  scopes: Type.Optional(Type.Array(Type.String())),
  response: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
export type TokenRequestInfo = Static<typeof TokenRequestInfo>
