export { isApiId, maxApiIdLength as maxIdLength } from '@posthorn/message-id'

/** Longest cursor of a change list (feed) of a mail provider, in characters. */
export const maxCursorLength = 16_384

/**
 * Longest page token of a list, in characters. API clients send the page token back in a URL, as a
 * part of a cursor.
 */
export const maxPageTokenLength = 8_192

/** Maximum message ids in one call that changes messages, and maximum ids or entries in a page. */
export const maxBulkIds = 1_000

/** Maximum message ids in one call of `getMessages`. */
export const maxGetIds = 100
