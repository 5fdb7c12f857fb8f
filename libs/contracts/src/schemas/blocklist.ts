import { Type } from 'typebox'
import { IsoDate } from './primitives.ts'

export const ListId = Type.String({
  maxLength: 253,
  format: 'list-id',
  description: 'Id of the list, with the syntax of a host name. Case-insensitive.',
})

/** Address that receives no messages of a list. */
export const BlockedAddress = Type.Object({
  recipient: Type.String(),
  account: Type.String({ description: 'Account whose message or request added the address.' }),
  messageId: Type.Optional(Type.String()),
  source: Type.String({
    description:
      'Origin of the entry: `api`, `admin`, `form` (page of the unsubscribe link) or `one-click` (RFC 8058).',
  }),
  reason: Type.String(),
  remoteAddress: Type.Optional(Type.String()),
  userAgent: Type.Optional(Type.String()),
  created: IsoDate,
})
