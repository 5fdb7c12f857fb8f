export { isAutoReply } from './auto-reply.ts'
export type { AttachedContent } from './attached-content.ts'
export { canonicalLines } from './canonical-lines.ts'
export {
  composeMessage,
  type ComposedMessage,
  type ComposeOptions,
  formatMessageId,
  newMessageId,
} from './compose.ts'
export { decodeText } from './decode-text.ts'
export { decodeWords } from './decode-words.ts'
export { type HeaderField, joinHead, splitHead, type SplitMessage, fieldValue } from './head.ts'
export { htmlToText } from './html-to-text.ts'
export { type CalendarEntry, parseCalendar, type ParsedCalendar } from './parse-calendar.ts'
export { prepareStoredMessage, type PrepareMessageOptions } from './prepare-stored-message.ts'
export { parseHeaders } from './parse-headers.ts'
export {
  type ParsedAddress,
  type ParsedAttachment,
  type ParsedMessage,
  parseMessage,
} from './parse-message.ts'
export {
  type ReferencedMessage,
  type ReferenceOptions,
  type ReferenceResult,
  applyReference,
} from './apply-reference.ts'
export { safeHtml } from './safe-html.ts'
