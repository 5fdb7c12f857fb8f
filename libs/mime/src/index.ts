export { isAutoReply } from './auto-reply.ts'
export { canonicalLines } from './canonical-lines.ts'
export {
  type AttachedContent,
  composeMessage,
  type ComposedMessage,
  type ComposeOptions,
} from './compose.ts'
export { decodeText } from './decode-text.ts'
export { decodeWords } from './decode-words.ts'
export { htmlToText } from './html-to-text.ts'
export { type CalendarEntry, parseCalendar, type ParsedCalendar } from './parse-calendar.ts'
export { parseHeaders } from './parse-headers.ts'
export {
  type ParsedAddress,
  type ParsedAttachment,
  type ParsedMessage,
  parseMessage,
} from './parse-message.ts'
export { type Original, type Referring, type Referred, refer } from './refer.ts'
export { safeHtml } from './safe-html.ts'
