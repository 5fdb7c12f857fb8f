import { Type } from 'typebox'
import { Text, Time } from './primitives.ts'

export const ListId = Text('Id of the list, with the syntax of a host name. Case-insensitive.', {
  maxLength: 253,
  format: 'list-id',
})

/**
 * Address that receives no messages of a list, because the owner of the address unsubscribed or an
 * API client blocked it.
 */
export const BlockedAddress = Type.Object({
  recipient: Text('Email address that receives no messages of the list.'),
  account: Text('Account to whose list the entry belongs.'),
  messageId: Type.Optional(Text('Message-ID of the message with the unsubscribe link.')),
  source: Text(
    'Origin of the entry: `api`, `admin`, `form` (page of the unsubscribe link) or `one-click` (RFC 8058).',
  ),
  reason: Text('Reason of the entry.'),
  remoteAddress: Type.Optional(Text('IP address of the client that unsubscribed.')),
  userAgent: Type.Optional(Text('User-Agent header of the client that unsubscribed.')),
  created: Time('Time the address was added (ISO 8601).'),
})
