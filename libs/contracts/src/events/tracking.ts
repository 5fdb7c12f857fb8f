import { Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { Text } from '../schemas/primitives.ts'

/** Client that requested a tracking pixel or a rewritten link. Absent members are unknown. */
const client = {
  remoteAddress: Type.Optional(Text('IP address of the client.')),
  userAgent: Type.Optional(Text('User-Agent header of the client.')),
}
const messageId = Text('Message-ID of the message.')
const subscription = {
  recipient: Text('Email address of the recipient.'),
  listId: Text('Id of the list.'),
  ...client,
}

/**
 * The tracking pixel of a message was requested. Published by api-gateway, at most once per 5 s for
 * the same client and message. Requests of known crawlers are ignored.
 */
export const trackOpen = defineEvent('trackOpen', Type.Object({ messageId, ...client }))

/**
 * A rewritten link of a sent message was followed. Published by api-gateway, at most once per 5 s
 * for the same client and link. Requests of known crawlers are ignored.
 */
export const trackClick = defineEvent(
  'trackClick',
  Type.Object({ messageId, url: Text('Original URL of the link.'), ...client }),
)

/**
 * A recipient unsubscribed from a list, on the unsubscribe page or by one-click (RFC 8058).
 * Published by api-gateway, once per change of the subscription.
 */
export const listUnsubscribe = defineEvent(
  'listUnsubscribe',
  Type.Object({
    ...subscription,
    messageId: Type.Optional(
      Text('Message-ID of the message. Absent if it was too long for the link.'),
    ),
  }),
)

/**
 * A recipient subscribed to a list again. Published by api-gateway, once per change of the
 * subscription.
 */
export const listSubscribe = defineEvent('listSubscribe', Type.Object(subscription))
