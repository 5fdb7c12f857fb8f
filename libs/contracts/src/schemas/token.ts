import { type Static, Type } from 'typebox'
import { AccountId, IsoDate, Nullable, OneOf, Strict } from './primitives.ts'

export const tokenScopes = ['api', 'smtp', 'imap-proxy'] as const

export const Restrictions = Strict({
  referrers: Type.Optional(
    Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 100 })),
  ),
  addresses: Type.Optional(
    Nullable(
      Type.Array(Type.String({ maxLength: 64, format: 'address-range' }), { maxItems: 1000 }),
    ),
  ),
  rateLimit: Type.Optional(
    Nullable(
      Strict({
        maxRequests: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
        timeWindow: Type.Integer({
          minimum: 1,
          maximum: 31_536_000,
          description: 'Length of the window in seconds.',
        }),
      }),
    ),
  ),
})
export type Restrictions = Static<typeof Restrictions>

export const Permissions = Strict(
  {
    actions: Type.Optional(
      Type.Array(OneOf(['read', 'write', 'send', 'destructive']), { minItems: 1 }),
    ),
    groups: Type.Optional(
      Type.Array(
        OneOf([
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
        ]),
        { minItems: 1 },
      ),
    ),
  },
  { minProperties: 1 },
)
export type Permissions = Static<typeof Permissions>

export const TokenRequest = Strict({
  account: Type.Optional(AccountId),
  description: Type.Optional(Type.String({ maxLength: 1024 })),
  scopes: Type.Optional(
    Type.Array(OneOf(tokenScopes), { minItems: 1, single: true, default: ['api'] }),
  ),
  metadata: Type.Optional(Type.String({ maxLength: 1_048_576 })),
  restrictions: Type.Optional(Nullable(Restrictions)),
  permissions: Type.Optional(Nullable(Permissions)),
  expires: Type.Optional(IsoDate),
  ip: Type.Optional(Type.String({ maxLength: 64 })),
})
export type TokenRequest = Static<typeof TokenRequest>

const AuditedText = Nullable(Type.String())

/** Access token without its value, which is not stored. */
export const TokenRecord = Type.Object({
  id: Type.String({ description: 'SHA-256 of the token value, hexadecimal.' }),
  account: Nullable(
    Type.String({ description: 'Account the token is bound to. Null if it is not bound.' }),
  ),
  description: Type.Optional(Type.String()),
  metadata: Type.Optional(
    Type.String({ description: 'Metadata in JSON, as provided at creation.' }),
  ),
  ip: Type.Optional(Type.String({ description: 'IP address stated by the creator of the token.' })),
  remoteAddress: Type.Optional(
    Type.String({ description: 'IP address of the request that created the token.' }),
  ),
  scopes: Type.Array(Type.String()),
  restrictions: Nullable(Restrictions),
  permissions: Nullable(Permissions),
  created: IsoDate,
  expires: Type.Optional(IsoDate),
  access: Type.Object(
    { time: Nullable(IsoDate), ip: AuditedText },
    { description: 'Time and IP address of the last use.' },
  ),
})
export type TokenRecord = Static<typeof TokenRecord>

/** Use of a token, allowed or denied. */
export const TokenLogEntry = Type.Object({
  time: IsoDate,
  ip: AuditedText,
  method: Nullable(
    Type.String({ description: 'HTTP method, or the proxy: `smtp` or `imap-proxy`.' }),
  ),
  path: Nullable(
    Type.String({ description: 'Path without query. For a proxy: the login command.' }),
  ),
  action: AuditedText,
  group: AuditedText,
  account: AuditedText,
  status: OneOf(['allowed', 'denied']),
  reason: Nullable(Type.String({ description: 'Reason of the denial.' })),
})
export type TokenLogEntry = Static<typeof TokenLogEntry>
