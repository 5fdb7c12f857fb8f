import type { FetchQueryObject } from 'imapflow'
import type { Section } from '../../mail-session.ts'

/** Maximum bytes of a message header that are fetched with the description of the message. */
const maxHeaderBytes = 256 * 1024

/**
 * FETCH query for the header of a message. Requests 32 KiB: addresses are near the start of a
 * header, and parsing 32 KiB takes up to 50 ms of CPU time.
 */
export const headersOnly: FetchQueryObject = {
  uid: true,
  size: true,
  bodyParts: [{ key: 'HEADER', start: 0, maxLength: 32 * 1024 }],
}

/**
 * FETCH query for flags, arrival time and size, which every server can answer without reading the
 * message.
 */
export const flagsOnly: FetchQueryObject = {
  uid: true,
  flags: true,
  internalDate: true,
  size: true,
}

/** Bare FETCH query: no envelope and no structure, with the header of the message on request. */
export function bareQuery(headers: boolean): FetchQueryObject {
  const header = { key: 'HEADER', start: 0, maxLength: maxHeaderBytes }
  return { ...flagsOnly, threadId: true, labels: true, ...(headers && { bodyParts: [header] }) }
}

/** Full FETCH query: the bare query with envelope and structure. */
export function fullQuery(headers: boolean): FetchQueryObject {
  return { ...bareQuery(headers), envelope: true, bodyStructure: true }
}

/** Extends a FETCH query by the first bytes of body sections. */
export function withSections(
  query: FetchQueryObject,
  sections: readonly Section[],
): FetchQueryObject {
  const { bodyParts = [] } = query
  const parts = sections.map((section) => ({ ...section, start: 0 }))
  return { ...query, bodyParts: [...bodyParts, ...parts] }
}
