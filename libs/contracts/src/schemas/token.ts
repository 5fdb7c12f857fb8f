import { type Static, Type } from 'typebox'
import { permissionActions, permissionGroups } from '../token-rights.ts'
import {
  AccountId,
  Bool,
  described,
  Int,
  Nullable,
  OneOf,
  Strict,
  Text,
  Texts,
  Time,
} from './primitives.ts'

export const tokenScopes = ['api', 'smtp', 'imap-proxy'] as const

export const Restrictions = Strict(
  {
    referrers: Type.Optional(
      Nullable(
        Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), {
          maxItems: 100,
          description:
            'Patterns of allowed `Referer` headers of requests with the token, in which `*` matches any text. Null or absent: all requests are allowed.',
        }),
      ),
    ),
    addresses: Type.Optional(
      Nullable(
        Type.Array(Type.String({ maxLength: 64, format: 'address-range' }), {
          maxItems: 1000,
          description:
            'IP addresses and CIDR ranges from which clients may use the token. Null or absent: all addresses are allowed.',
        }),
      ),
    ),
    rateLimit: Type.Optional(
      Nullable(
        Strict(
          {
            maxRequests: Int(
              'Maximum number of requests with the token in each time window of the rate limit.',
              {
                minimum: 1,
                maximum: 1_000_000_000,
              },
            ),
            timeWindow: Int('Length of the time window of the rate limit, in seconds.', {
              minimum: 1,
              maximum: 31_536_000,
            }),
          },
          {
            description:
              'Rate limit of the token: at most `maxRequests` requests in each time window of `timeWindow` seconds. The requests to all replicas are counted together, and messages of mail clients at the SMTP proxy count as requests. Null or absent: no rate limit.',
          },
        ),
      ),
    ),
  },
  {
    description:
      'Restrictions of the token: allowed client addresses, allowed `Referer` headers and the rate limit. Null or absent: no restrictions.',
  },
)
export type Restrictions = Static<typeof Restrictions>

export const Permissions = Strict(
  {
    actions: Type.Optional(
      Type.Array(OneOf(permissionActions), {
        minItems: 1,
        description: 'Actions that the token allows. Absent: all actions.',
      }),
    ),
    groups: Type.Optional(
      Type.Array(OneOf(permissionGroups), {
        minItems: 1,
        description: 'Groups of operations that the token allows. Absent: all groups.',
      }),
    ),
  },
  {
    minProperties: 1,
    description:
      'Permissions of the token: allowed actions and groups of operations. Null or absent: everything that the scopes of the token allow.',
  },
)
export type Permissions = Static<typeof Permissions>

export const TokenRequest = Strict({
  account: Type.Optional(
    described(
      'Id of the account to which the token is bound. Absent: the token is valid for all accounts.',
      AccountId,
    ),
  ),
  description: Type.Optional(Text('Description of the token for operators.', { maxLength: 1024 })),
  scopes: Type.Optional(
    Type.Array(OneOf(tokenScopes), {
      minItems: 1,
      single: true,
      default: ['api'],
      description:
        'Interfaces at which the token is valid: `api` (REST API, default), `smtp` (SMTP proxy), `imap-proxy` (IMAP proxy).',
    }),
  ),
  metadata: Type.Optional(
    Text(
      'JSON text with further data about the token, for the creator of the token. Stored and returned unchanged.',
      {
        maxLength: 1_048_576,
      },
    ),
  ),
  restrictions: Type.Optional(Nullable(Restrictions)),
  permissions: Type.Optional(Nullable(Permissions)),
  expires: Type.Optional(
    Time('Time at which the token expires (ISO 8601). Absent: the token does not expire.'),
  ),
  ip: Type.Optional(
    Text('IP address of the creator of the token, as stated by the caller. For information only.', {
      maxLength: 64,
    }),
  ),
})
export type TokenRequest = Static<typeof TokenRequest>

/** Access token as returned in lists. The value of the token is not stored and not returned. */
export const TokenRecord = Type.Object({
  id: Text(
    'Id of the token: SHA-256 hash of the value, in hexadecimal digits. Of an imported token: SHA-256 hash of the 32 raw bytes of the value.',
  ),
  account: Nullable(
    Text(
      'Id of the account to which the token is bound. Null if the token is valid for all accounts.',
    ),
  ),
  description: Type.Optional(Text('Description of the token for operators.')),
  metadata: Type.Optional(
    Text('JSON text with further data about the token, as stored by the creator of the token.'),
  ),
  ip: Type.Optional(
    Text(
      'IP address of the creator of the token, as stated in the request that created the token.',
    ),
  ),
  remoteAddress: Type.Optional(
    Text('IP address from which the request that created the token was sent.'),
  ),
  scopes: Texts(
    'Interfaces at which the token is valid: `api` (REST API), `smtp` (SMTP proxy), `imap-proxy` (IMAP proxy). `*`: all interfaces, and the operations for operators.',
  ),
  restrictions: Nullable(Restrictions),
  permissions: Nullable(Permissions),
  imported: Type.Optional(
    Bool('True for a token that was imported from EmailEngine. Absent for other tokens.'),
  ),
  created: Time('Time at which the token was created (ISO 8601).'),
  expires: Type.Optional(
    Time('Time at which the token expires (ISO 8601). Absent if the token does not expire.'),
  ),
  access: Type.Object(
    {
      time: Nullable(
        Time('Time of the last use of the token (ISO 8601). Null if the token was never used.'),
      ),
      ip: Nullable(
        Text(
          'IP address of the client that last used the token. Null if the token was never used.',
        ),
      ),
    },
    { description: 'Last use of the token: time and IP address.' },
  ),
})
export type TokenRecord = Static<typeof TokenRecord>

/** Log entry about a use of an access token, which was allowed or denied. */
export const TokenLogEntry = Type.Object({
  time: Time('Time of the use of the token (ISO 8601).'),
  ip: Nullable(Text('IP address of the client that used the token. Null if unknown.')),
  method: Nullable(Text('HTTP method of the request. For a mail client: `smtp` or `imap-proxy`.')),
  path: Nullable(
    Text(
      'Path of the request without the query. For a mail client: the command that used the token.',
    ),
  ),
  action: Nullable(Text('Action of the requested operation, such as `read`. Null if unknown.')),
  group: Nullable(Text('Group of the requested operation, such as `message`. Null if unknown.')),
  account: Nullable(
    Text('Id of the account that the request names. Null if the request names no account.'),
  ),
  status: OneOf(['allowed', 'denied'], {
    description: 'Result of the check of the token: `allowed` or `denied`.',
  }),
  reason: Nullable(
    Text('Reason for which the use of the token was denied. Null if the use was allowed.'),
  ),
})
export type TokenLogEntry = Static<typeof TokenLogEntry>

/** Request for an access token with the scope `*`, for scripts of operators. */
export const OperatorTokenRequest = Strict({
  description: Text('Description of the token for operators, such as the name of the script.', {
    minLength: 1,
    maxLength: 1024,
  }),
  restrictions: Type.Optional(Nullable(Restrictions)),
  expires: Type.Optional(
    Time('Time at which the token expires (ISO 8601). Absent: the token does not expire.'),
  ),
})
export type OperatorTokenRequest = Static<typeof OperatorTokenRequest>
