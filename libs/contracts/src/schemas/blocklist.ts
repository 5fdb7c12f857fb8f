import { Type } from 'typebox'
import { IsoDate } from './primitives.ts'

export const ListId = Type.String({
  maxLength: 253,
  format: 'list-id',
  description: 'In the shape of a host name; case does not matter',
})

/** An address that gets nothing from a list. */
export const BlockedAddress = Type.Object({
  recipient: Type.String(),
  account: Type.String({ description: 'Whose message, or request, put it there' }),
  messageId: Type.Optional(Type.String()),
  source: Type.String({
    description:
      '`api`, `admin`, `form` (the page of the unsubscribe link) or `one-click` (RFC 8058)',
  }),
  reason: Type.String(),
  remoteAddress: Type.Optional(Type.String()),
  userAgent: Type.Optional(Type.String()),
  created: IsoDate,
})
