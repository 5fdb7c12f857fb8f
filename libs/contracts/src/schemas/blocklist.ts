import { Type } from 'typebox'
import { Text, Time } from './primitives.ts'

export const ListId = Text(
  'Id of the mailing list, with the syntax of a host name. Case-insensitive.',
  {
    maxLength: 253,
    format: 'list-id',
  },
)

/**
 * Address that receives no messages of a list, because the owner of the address unsubscribed or an
 * API client blocked it.
 */
export const BlockedAddress = Type.Object({
  recipient: Text('Email address that receives no messages of the mailing list.'),
  account: Text('Id of the account to whose mailing list the entry belongs.'),
  messageId: Type.Optional(
    Text(
      'Message-ID of the message whose unsubscribe link was used. Absent if unknown, and for blocklist entries that were added with the API.',
    ),
  ),
  source: Text(
    'Origin of the blocklist entry: `api`, `admin`, `form` (page of the unsubscribe link) or `one-click` (RFC 8058).',
  ),
  reason: Text(
    'Reason of the blocklist entry: `unsubscribe`, or the text of the API request (`block` by default).',
  ),
  remoteAddress: Type.Optional(Text('IP address of the client that unsubscribed.')),
  userAgent: Type.Optional(Text('User-Agent header of the client that unsubscribed.')),
  created: Time('Time at which the address was added to the blocklist (ISO 8601).'),
})
