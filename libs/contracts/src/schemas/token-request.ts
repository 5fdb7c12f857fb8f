import { type Static, Type } from 'typebox'
import { Int, Text, Texts } from './primitives.ts'

/**
 * Request to an OAuth2 token endpoint, together with the response. Secrets and tokens are removed.
 */
export const TokenRequestInfo = Type.Object(
  {
    url: Type.Optional(Text('URL of the OAuth2 token endpoint.')),
    method: Type.Optional(Text('HTTP method of the request to the OAuth2 token endpoint.')),
    grant: Type.Optional(
      Text(
        'OAuth2 grant type of the token request: `refresh_token`, `authorization_code`, `client_credentials` or a JWT bearer grant.',
      ),
    ),
    provider: Type.Optional(Text('Kind of the OAuth2 provider, such as `gmail` or `outlook`.')),
    status: Type.Optional(Int('HTTP status of the response of the OAuth2 token endpoint.')),
    clientId: Type.Optional(Text('Client id of the OAuth2 application.')),
    authority: Type.Optional(
      Text('Authority of an Outlook application, such as `common` or a tenant id.'),
    ),
    serviceClient: Type.Optional(Text('Client id of the Google service account.')),
    serviceClientEmail: Type.Optional(Text('Email address of the Google service account.')),
    code: Type.Optional(Text('Error code of the OAuth2 token endpoint, such as `invalid_grant`.')),
    flag: Type.Optional(
      Type.Object(
        {
          message: Text('Fault of the OAuth2 application, such as an expired client secret.'),
          code: Type.Optional(
            Text(
              'Error code of the token endpoint for the fault of the OAuth2 application, such as `invalid_client`.',
            ),
          ),
        },
        {
          description:
            'Fault of the OAuth2 application that an operator must repair. Absent if the owner of the account must act.',
        },
      ),
    ),
    userFlag: Type.Optional(
      Type.Object(
        {
          message: Text('Action that the owner of the account must take, such as to log in again.'),
        },
        {
          description:
            'Action that the owner of the account must take. Absent if an operator must repair the OAuth2 application.',
        },
      ),
    ),
    scopes: Type.Optional(Texts('OAuth2 scopes of the token request.')),
    response: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Error response of the token endpoint, with masked secrets.',
      }),
    ),
  },
  {
    description:
      'Failed request to an OAuth2 token endpoint, without secrets and tokens. Absent for other errors.',
  },
)
export type TokenRequestInfo = Static<typeof TokenRequestInfo>
