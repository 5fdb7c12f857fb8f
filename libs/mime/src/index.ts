export { canonicalLines } from './canonical-lines.ts'
export type { AttachedContent } from './compose-html.ts'
export {
  composeMessage,
  type ComposedMessage,
  type ComposeOptions,
  formatMessageId,
  newMessageId,
} from './compose.ts'
export { decodeText, decodeWords } from './decode.ts'
export {
  fieldValue,
  type HeaderField,
  isAutoReply,
  joinHead,
  parseHeaders,
  splitHead,
  type SplitMessage,
} from './headers.ts'
export { escapeHtml, htmlToText } from './html-to-text.ts'
export { type CalendarEntry, parseCalendar, type ParsedCalendar } from './parse-calendar.ts'
export { prepareStoredMessage, type PrepareMessageOptions } from './prepare-stored-message.ts'
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
