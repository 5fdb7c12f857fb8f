export {
  apiPageCursors,
  type ApiList,
  type ApiPagePosition,
  requestedApiPage,
} from './api-cursor.ts'
export {
  type ApiPartRef,
  checkApiMessageId,
  decodeApiAttachmentId,
  decodeApiTextId,
  encodeApiAttachmentId,
  encodeApiTextId,
  isApiId,
  maxApiIdLength,
} from './api-id.ts'
export { decodeAttachmentId, encodeAttachmentId } from './attachment-id.ts'
export { decodeCursor, encodeCursor } from './cursor.ts'
export { decodeMessageId, encodeMessageId } from './message-id.ts'
export { decodeTextId, encodeTextId } from './text-id.ts'
