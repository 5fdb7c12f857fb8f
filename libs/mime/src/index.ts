export { applyReference, type ReferenceResult } from './apply-reference.ts'
export { canonicalLines } from './canonical-lines.ts'
export type { AttachedContent } from './compose-html.ts'
export { composeMessage, type ComposedMessage, formatMessageId, newMessageId } from './compose.ts'
export { assertHeaderEnvelope, withBcc } from './header-envelope.ts'
export { decodeText, decodeWords } from './decode.ts'
export {
  fieldValue,
  type HeaderField,
  isAutoReply,
  joinHead,
  parseHeaders,
  splitHead,
} from './headers.ts'
export { escapeHtml, htmlToText } from './html-to-text.ts'
export { parseAddressList } from './parse-address-list.ts'
export { parseCalendar } from './parse-calendar.ts'
export { prepareStoredMessage } from './prepare-stored-message.ts'
export { prepareUpload } from './prepare-upload.ts'
export { type LargeMessage, parseLargeMessage } from './parse-large-message.ts'
export { type ParsedAddress, parseMessage } from './parse-message.ts'
export {
  type MessageContent,
  type MessageSource,
  type PartContent,
  rangeBytes,
  toBytes,
  toSource,
} from './message-source.ts'
export { toSingleLine } from './reject-injection.ts'
export { safeHtml, toSafeHtml } from './safe-html.ts'
