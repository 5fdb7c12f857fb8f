import { Type } from 'typebox'
import { defineEvent } from '../define.ts'

/** Client of the HTTP request. Absent members are unknown. */
const Client = {
  remoteAddress: Type.Optional(Type.String()),
  userAgent: Type.Optional(Type.String()),
}

/**
 * The tracking pixel of a message was requested. Published by api-gateway, at most once per 5 s,
 * client and message. Requests of known crawlers are ignored.
 */
export const trackOpen = defineEvent(
  'trackOpen',
  Type.Object({ messageId: Type.String(), ...Client }),
)

/**
 * A rewritten link was followed. Published by api-gateway, at most once per 5 s, client and link.
 * Requests of known crawlers are ignored.
 */
export const trackClick = defineEvent(
  'trackClick',
  Type.Object({
    messageId: Type.String(),
    /** Original URL of the link. */
    url: Type.String(),
    ...Client,
  }),
)

/**
 * A recipient unsubscribed from a list, on the page or by one-click (RFC 8058). Published by
 * api-gateway, once per change.
 */
export const listUnsubscribe = defineEvent(
  'listUnsubscribe',
  Type.Object({
    recipient: Type.String(),
    /** Absent if it was too long for the link. */
    messageId: Type.Optional(Type.String()),
    listId: Type.String(),
    ...Client,
  }),
)

/** A recipient subscribed to a list again. Published by api-gateway, once per change. */
export const listSubscribe = defineEvent(
  'listSubscribe',
  Type.Object({ recipient: Type.String(), listId: Type.String(), ...Client }),
)
