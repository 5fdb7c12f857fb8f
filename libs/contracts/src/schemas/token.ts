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
        timeWindow: Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'Seconds' }),
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

/** A token as it is shown: everything but its value, which is not kept. */
export const TokenRecord = Type.Object({
  id: Type.String({ description: 'SHA-256 of the value, in hexadecimal digits' }),
  account: Nullable(Type.String({ description: 'The only account it is for' })),
  description: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.String({ description: 'JSON, as it was given' })),
  ip: Type.Optional(Type.String({ description: 'As whoever made it says' })),
  remoteAddress: Type.Optional(Type.String({ description: 'Where it was made from' })),
  scopes: Type.Array(Type.String()),
  restrictions: Nullable(Restrictions),
  permissions: Nullable(Permissions),
  created: IsoDate,
  expires: Type.Optional(IsoDate),
  access: Type.Object({ time: Nullable(IsoDate), ip: AuditedText }, { description: 'Last use' }),
})
export type TokenRecord = Static<typeof TokenRecord>

/** One use of a token, or an attempt. */
export const TokenLogEntry = Type.Object({
  time: IsoDate,
  ip: AuditedText,
  method: Nullable(Type.String({ description: 'Of HTTP, or the door: `smtp`, `imap-proxy`' })),
  path: Nullable(Type.String({ description: 'Without its query; or what was said at the door' })),
  action: AuditedText,
  group: AuditedText,
  account: AuditedText,
  status: OneOf(['allowed', 'denied']),
  reason: Nullable(Type.String({ description: 'Why it was denied' })),
})
export type TokenLogEntry = Static<typeof TokenLogEntry>
