export { decodeAttachmentId, encodeAttachmentId } from './attachment-id.ts'
export { decodeCursor, encodeCursor } from './cursor.ts'
export { decodeMessageId, encodeMessageId } from './message-id.ts'
export { decodeTextId, encodeTextId } from './text-id.ts'
