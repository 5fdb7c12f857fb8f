import { type Static, Type } from 'typebox'
import {
  AccountId,
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
          description: 'Patterns of the `Referer` header. `*` matches any text.',
        }),
      ),
    ),
    addresses: Type.Optional(
      Nullable(
        Type.Array(Type.String({ maxLength: 64, format: 'address-range' }), {
          maxItems: 1000,
          description: 'IP addresses and CIDR ranges of clients.',
        }),
      ),
    ),
    rateLimit: Type.Optional(
      Nullable(
        Strict(
          {
            maxRequests: Int('Requests allowed per window.', {
              minimum: 1,
              maximum: 1_000_000_000,
            }),
            timeWindow: Int('Length of the window in seconds.', {
              minimum: 1,
              maximum: 31_536_000,
            }),
          },
          { description: 'Rate limit, across all replicas.' },
        ),
      ),
    ),
  },
  { description: 'Restrictions of the use. Null or absent: none.' },
)
export type Restrictions = Static<typeof Restrictions>

const permissionGroups = [
  'account',
  'mailbox',
  'message',
  'submit',
  'outbox',
  'export',
  'template',
  'blocklist',
  'webhook',
  'gateway',
  'events',
  'diagnostics',
  'logs',
] as const

const permissionsOf = <const G extends readonly string[]>(groups: G) =>
  Strict(
    {
      actions: Type.Optional(
        Type.Array(OneOf(['read', 'write', 'send', 'destructive']), {
          minItems: 1,
          description: 'Allowed actions. Absent: all.',
        }),
      ),
      groups: Type.Optional(
        Type.Array(OneOf(groups), {
          minItems: 1,
          description: 'Allowed groups of operations. Absent: all.',
        }),
      ),
    },
    {
      minProperties: 1,
      description: 'Permissions of the token. Null or absent: all of its scopes.',
    },
  )

/**
 * Permissions of a new access token. The group `export` is rejected, because there is no operation
 * for exports yet.
 */
const RequestedPermissions = permissionsOf(permissionGroups.filter((group) => group !== 'export'))
/**
 * Permissions of an access token as stored. Tokens of earlier releases may have the group `export`.
 */
export const Permissions = permissionsOf(permissionGroups)
export type Permissions = Static<typeof Permissions>

export const TokenRequest = Strict({
  account: Type.Optional(described('Account the token is bound to. Absent: none.', AccountId)),
  description: Type.Optional(Text('Description of the token.', { maxLength: 1024 })),
  scopes: Type.Optional(
    Type.Array(OneOf(tokenScopes), {
      minItems: 1,
      single: true,
      default: ['api'],
      description: 'Scopes: the REST API, and the proxies for mail clients.',
    }),
  ),
  metadata: Type.Optional(Text('Metadata of the caller in JSON.', { maxLength: 1_048_576 })),
  restrictions: Type.Optional(Nullable(Restrictions)),
  permissions: Type.Optional(Nullable(RequestedPermissions)),
  expires: Type.Optional(Time('Expiry time (ISO 8601). Absent: the token does not expire.')),
  ip: Type.Optional(Text('IP address of the creator, for information.', { maxLength: 64 })),
})
export type TokenRequest = Static<typeof TokenRequest>

/** Access token as returned in lists. The value of the token is not stored and not returned. */
export const TokenRecord = Type.Object({
  id: Text('SHA-256 of the token value, hexadecimal.'),
  account: Nullable(Text('Account the token is bound to. Null if it is not bound.')),
  description: Type.Optional(Text('Description of the token.')),
  metadata: Type.Optional(Text('Metadata in JSON, as provided at creation.')),
  ip: Type.Optional(Text('IP address stated by the creator of the token.')),
  remoteAddress: Type.Optional(Text('IP address of the request that created the token.')),
  scopes: Texts('Scopes of the token.'),
  restrictions: Nullable(Restrictions),
  permissions: Nullable(Permissions),
  created: Time('Time of creation (ISO 8601).'),
  expires: Type.Optional(Time('Expiry time (ISO 8601). Absent if the token does not expire.')),
  access: Type.Object(
    {
      time: Nullable(Time('Time of the last use (ISO 8601). Null if never used.')),
      ip: Nullable(Text('IP address of the last use.')),
    },
    { description: 'Time and IP address of the last use.' },
  ),
})
export type TokenRecord = Static<typeof TokenRecord>

/** Log entry about a use of an access token, which was allowed or denied. */
export const TokenLogEntry = Type.Object({
  time: Time('Time of the use (ISO 8601).'),
  ip: Nullable(Text('IP address of the client.')),
  method: Nullable(Text('HTTP method, or the proxy: `smtp` or `imap-proxy`.')),
  path: Nullable(Text('Path without query. For a proxy: the login command.')),
  action: Nullable(Text('Action of the operation.')),
  group: Nullable(Text('Group of the operation.')),
  account: Nullable(Text('Account of the request. Null if it had none.')),
  status: OneOf(['allowed', 'denied'], { description: 'Result of the check.' }),
  reason: Nullable(Text('Reason of the denial.')),
})
export type TokenLogEntry = Static<typeof TokenLogEntry>
