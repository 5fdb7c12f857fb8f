import { type Static, Type } from 'typebox'
import { Int, Text, Texts } from './primitives.ts'

/**
 * Request to an OAuth2 token endpoint, together with the response. Secrets and tokens are removed.
 */
export const TokenRequestInfo = Type.Object(
  {
    url: Type.Optional(Text('URL of the endpoint.')),
    method: Type.Optional(Text('HTTP method.')),
    grant: Type.Optional(
      Text(
        'Grant type: `refresh_token`, `authorization_code`, `client_credentials` or a JWT bearer grant.',
      ),
    ),
    provider: Type.Optional(Text('Kind of provider.')),
    status: Type.Optional(Int('HTTP status of the response.')),
    clientId: Type.Optional(Text('Client id of the application.')),
    authority: Type.Optional(Text('Authority of an Outlook application.')),
    serviceClient: Type.Optional(Text('Client id of the service account.')),
    serviceClientEmail: Type.Optional(Text('Email address of the service account.')),
    code: Type.Optional(Text('Code of the error.')),
    flag: Type.Optional(
      Type.Object(
        {
          message: Text('Description of the action.'),
          code: Type.Optional(Text('Code of the error that requires it.')),
        },
        { description: 'Action that an operator must take on the application.' },
      ),
    ),
    userFlag: Type.Optional(
      Type.Object(
        { message: Text('Description of the action.') },
        { description: 'Action that the owner of the account must take.' },
      ),
    ),
    scopes: Type.Optional(Texts('Requested scopes.')),
    response: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Error response of the endpoint.',
      }),
    ),
  },
  { description: 'Failed request to a token endpoint, without secrets and tokens.' },
)
export type TokenRequestInfo = Static<typeof TokenRequestInfo>
