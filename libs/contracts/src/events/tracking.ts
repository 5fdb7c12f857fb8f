import { Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { Text } from '../schemas/primitives.ts'

/** Client that requested a tracking pixel or a rewritten link. Absent members are unknown. */
const client = {
  remoteAddress: Type.Optional(
    Text('IP address of the client that sent the request. Absent if unknown.'),
  ),
  userAgent: Type.Optional(
    Text(
      'User-Agent header of the client that sent the request. Absent if the request has no such header.',
    ),
  ),
}
const messageId = Text('Message-ID header of the sent message.')
const subscription = {
  recipient: Text('Email address of the recipient whose subscription changed.'),
  listId: Text('Id of the mailing list, as `listId` in the submission.'),
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
  Type.Object({ messageId, url: Text('Original URL of the link that was followed.'), ...client }),
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
      Text(
        'Message-ID header of the message whose unsubscribe link was used. Absent if the Message-ID was too long for the link.',
      ),
    ),
  }),
)

/**
 * A recipient subscribed to a list again. Published by api-gateway, once per change of the
 * subscription.
 */
export const listSubscribe = defineEvent('listSubscribe', Type.Object(subscription))
