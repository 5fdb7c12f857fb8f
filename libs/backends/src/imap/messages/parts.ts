import { setImmediate } from 'node:timers/promises'
import type {
  BodyPart,
  FetchedSection,
  MessagePartsRequest,
  PartRequest,
  RequestedParts,
} from '../../mail-session.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { isRejection } from '../connection/errors.ts'
import { decodeBytes } from '../../decode.ts'
import { rangesOf } from '../../uid-ranges.ts'
import { fetchOne } from './download.ts'
import { fetchRows } from './fetch-rows.ts'
import { type PartSection, sectionsOf } from './sections.ts'

/** Number of messages whose body sections are decoded per tick of the event loop. */
const messagesPerTick = 10

/** Fetches the first bytes of several MIME parts of one message with one FETCH command. */
export async function readParts(
  connection: ImapConnection,
  uid: number,
  { structure, wanted }: { structure: BodyPart; wanted: readonly PartRequest[] },
): Promise<Map<string, Buffer>> {
  const sections = sectionsOf(structure, wanted)
  if (sections.length === 0) return new Map()
  const row = await fetchOne({ connection, mailbox: connection.selected }, uid, queryOf(sections))
  return decodeSections(row.bodyParts, sections)
}

/** Reads MIME parts of several messages; see `MailSession.readPartsOfAll`. */
export async function readPartsOfAll(
  connection: ImapConnection,
  requests: readonly MessagePartsRequest[],
): Promise<RequestedParts[]> {
  const results = new Map<MessagePartsRequest, RequestedParts>()
  const needed: SectionsRequest[] = []
  for (const request of requests) {
    const sections = sectionsOf(request.structure, request.wanted)
    const fetched = findFetched(request.fetched ?? [], sections)
    if (!fetched) needed.push({ request, sections })
    else {
      results.set(request, decodeSections(fetched, sections))
      if (results.size % messagesPerTick === 0) await setImmediate()
    }
  }
  for (const group of groupBySections(needed)) {
    const bodyParts = await fetchGroup(connection, group)
    for (const { request, sections } of group) {
      const returned = bodyParts.get(request.uid)
      if (returned) results.set(request, decodeSections(returned, sections))
    }
  }
  return requests.map((request) => results.get(request))
}

/**
 * Finds body sections among the sections that were fetched together with a message. Undefined if
 * one of the sections is missing or incomplete, or empty although the MIME part has a size.
 */
function findFetched(
  fetched: readonly FetchedSection[],
  sections: readonly PartSection[],
): Map<string, Buffer> | undefined {
  const contents = new Map<string, Buffer>()
  for (const { key, maxLength, bodyPart } of sections) {
    const section = fetched.find((each) => each.key === key)
    if (!section) return undefined
    const { bytes } = section
    if (bytes.length === 0 && bodyPart.size !== 0) return undefined
    if (bytes.length >= section.maxLength && section.maxLength < maxLength) return undefined
    contents.set(key.toLowerCase(), bytes.subarray(0, maxLength))
  }
  return contents
}

/**
 * Fetches the encoded body sections of a group of messages, by UID. Returns an empty map if the
 * IMAP server rejects the FETCH.
 */
async function fetchGroup(
  connection: ImapConnection,
  group: Group,
): Promise<Map<number, ReadonlyMap<string, Buffer>>> {
  const uids = group.map(({ request }) => request.uid)
  const [{ sections }] = group
  if (sections.length === 0) return new Map(uids.map((uid) => [uid, new Map()]))
  const query = { ...queryOf(sections), size: true }
  const options = { mailbox: connection.selected, query, onSent: () => undefined }
  try {
    const rows = await fetchRows(connection, rangesOf(uids), options)
    return new Map([...rows].map(([uid, { bodyParts }]) => [uid, bodyParts ?? new Map()]))
  } catch (error) {
    if (isRejection(error)) return new Map()
    throw error
  }
}

interface SectionsRequest {
  request: MessagePartsRequest
  sections: PartSection[]
}

type Group = [SectionsRequest, ...SectionsRequest[]]

/**
 * Groups messages of which the same body sections are requested, so that one FETCH serves a group.
 */
function groupBySections(requests: readonly SectionsRequest[]): Iterable<Group> {
  const groups = new Map<string, Group>()
  for (const { request, sections } of requests) {
    const id = JSON.stringify(sections.map(({ key, maxLength }) => [key, maxLength]))
    const group = groups.get(id)
    if (group) group.push({ request, sections })
    else groups.set(id, [{ request, sections }])
  }
  return groups.values()
}

function queryOf(sections: readonly PartSection[]) {
  return {
    uid: true,
    bodyParts: sections.map(({ key, maxLength }) => ({ key, start: 0, maxLength })),
  }
}

function decodeSections(
  bodyParts: ReadonlyMap<string, Buffer> | undefined,
  sections: readonly PartSection[],
): Map<string, Buffer> {
  const parts = new Map<string, Buffer>()
  for (const { part, key, maxBytes, bodyPart } of sections) {
    const bytes = bodyParts?.get(key.toLowerCase())
    if (bytes) parts.set(part, decodeBytes(bytes, bodyPart.encoding).subarray(0, maxBytes))
  }
  return parts
}
