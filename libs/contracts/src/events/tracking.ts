import { Type } from 'typebox'
import { defineEvent } from '../define.ts'

/** Who asked: absent where a request does not say. */
const Visitor = {
  remoteAddress: Type.Optional(Type.String()),
  userAgent: Type.Optional(Type.String()),
}

/** The picture in a message was asked for. Published by api-gateway, at most once a visitor, message and five seconds; not for known machines. */
export const trackOpen = defineEvent(
  'trackOpen',
  Type.Object({ messageId: Type.String(), ...Visitor }),
)

/** A rewritten link was followed. Published by api-gateway, at most once a visitor, link and five seconds; not for known machines. */
export const trackClick = defineEvent(
  'trackClick',
  Type.Object({
    messageId: Type.String(),
    /** Where the link led before it was rewritten. */
    url: Type.String(),
    ...Visitor,
  }),
)

/** Somebody left a list: on the page, or by their mail client's button (RFC 8058). Published by api-gateway, once each time they leave. */
export const listUnsubscribe = defineEvent(
  'listUnsubscribe',
  Type.Object({
    recipient: Type.String(),
    /** Absent where it was too long to be put into the link. */
    messageId: Type.Optional(Type.String()),
    listId: Type.String(),
    ...Visitor,
  }),
)

/** Somebody who had left a list came back. Published by api-gateway, once each time they do. */
export const listSubscribe = defineEvent(
  'listSubscribe',
  Type.Object({ recipient: Type.String(), listId: Type.String(), ...Visitor }),
)
