export { isApiId, maxApiIdLength as maxIdLength } from '@posthorn/message-id'

/** Longest cursor of a feed in characters. */
export const maxCursorLength = 16_384

/** Longest page token in characters: clients send it back in a URL, within a cursor. */
export const maxPageTokenLength = 8_192

/** Maximum ids in one call that changes messages, and maximum ids or entries in a page. */
export const maxBulkIds = 1_000

/** Maximum ids in one `getMessages`. */
export const maxGetIds = 100
