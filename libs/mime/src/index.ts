export { isAutoReply } from './auto-reply.ts'
export type { AttachedContent } from './attached-content.ts'
export { canonicalLines } from './canonical-lines.ts'
export {
  composeMessage,
  type ComposedMessage,
  type ComposeOptions,
  messageIdOf,
  newMessageId,
} from './compose.ts'
export { decodeText } from './decode-text.ts'
export { decodeWords } from './decode-words.ts'
export { type Field, joinHead, splitHead, type SplitMessage, valueOf } from './head.ts'
export { htmlToText } from './html-to-text.ts'
export { type CalendarEntry, parseCalendar, type ParsedCalendar } from './parse-calendar.ts'
export { openMessage, type OpenOptions } from './open-message.ts'
export { parseHeaders } from './parse-headers.ts'
export {
  type ParsedAddress,
  type ParsedAttachment,
  type ParsedMessage,
  parseMessage,
} from './parse-message.ts'
export { type Original, type Referring, type Referred, refer } from './refer.ts'
export { safeHtml } from './safe-html.ts'
