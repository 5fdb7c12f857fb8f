export { createMessageReader } from './create-message-reader.ts'
export { readReaderConfig } from './reader-config.ts'
export { maxJsonBytes, type EncodedText, type ReadText } from './texts.ts'
export {
  MessageReader,
  type MessageReaderOptions,
  type OverrunReason,
  type ReadingOverrun,
} from './message-reader.ts'
export { type ParsedCalendar, readInline, type ReadPart } from './readings.ts'
