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
