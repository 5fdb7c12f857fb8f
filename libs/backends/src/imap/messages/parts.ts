import type {
  BodyPart,
  MessagePartsRequest,
  PartRequest,
  RequestedParts,
} from '../../mail-session.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { isRejection } from '../connection/errors.ts'
import { decodeTransferEncoding, takeBytes } from '../../decode.ts'
import { rangesOf } from '../../uid-ranges.ts'
import { fetchOne } from './download.ts'
import { fetchRows } from './fetch-rows.ts'
import { findPart, sectionOf } from './structure.ts'

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

/** Parts of several messages; see `MailSession.readPartsOfAll`. */
export async function readPartsOfAll(
  connection: ImapConnection,
  requests: readonly MessagePartsRequest[],
): Promise<RequestedParts[]> {
  const results = new Map<MessagePartsRequest, RequestedParts>()
  for (const group of groupBySections(requests)) {
    const bodyParts = await fetchGroup(connection, group)
    for (const { request, sections } of group) {
      const returned = bodyParts.get(request.uid)
      if (returned) results.set(request, await decodeSections(returned, sections))
    }
  }
  return requests.map((request) => results.get(request))
}

/** Fetches the encoded sections of the messages of a group, by UID. None if the server refuses. */
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

interface Section {
  part: string
  key: string
  maxBytes: number
  bodyPart: BodyPart
  maxLength: number
}

interface SectionsRequest {
  request: MessagePartsRequest
  sections: Section[]
}

type Group = [SectionsRequest, ...SectionsRequest[]]

/** Groups messages of which the same sections are requested, so that one FETCH serves a group. */
function groupBySections(requests: readonly MessagePartsRequest[]): Iterable<Group> {
  const groups = new Map<string, Group>()
  for (const request of requests) {
    const sections = sectionsOf(request.structure, request.wanted)
    const id = JSON.stringify(sections.map(({ key, maxLength }) => [key, maxLength]))
    const group = groups.get(id)
    if (group) group.push({ request, sections })
    else groups.set(id, [{ request, sections }])
  }
  return groups.values()
}

function sectionsOf(structure: BodyPart, wanted: readonly PartRequest[]): Section[] {
  return wanted.flatMap(({ part, maxBytes }) => {
    const bodyPart = findPart(structure, part)
    if (!bodyPart || maxBytes <= 0) return []
    const key = sectionOf(structure, part)
    return [{ part, key, maxBytes, bodyPart, maxLength: encodedBytes(bodyPart, maxBytes) }]
  })
}

function queryOf(sections: readonly Section[]) {
  return {
    uid: true,
    bodyParts: sections.map(({ key, maxLength }) => ({ key, start: 0, maxLength })),
  }
}

async function decodeSections(
  bodyParts: ReadonlyMap<string, Buffer> | undefined,
  sections: readonly Section[],
): Promise<Map<string, Buffer>> {
  const parts = new Map<string, Buffer>()
  for (const { part, key, maxBytes, bodyPart } of sections) {
    const bytes = bodyParts?.get(key.toLowerCase())
    if (bytes) parts.set(part, await decode(bytes, bodyPart, maxBytes))
  }
  return parts
}

/**
 * Number of encoded bytes of a MIME part that contain `maxBytes` of content. Base64 turns 57 bytes
 * into 78, quoted-printable at most 25 into 79 (RFC 2045 §6).
 */
function encodedBytes({ encoding }: BodyPart, maxBytes: number): number {
  switch (encoding?.trim().toLowerCase()) {
    case 'base64':
      return Math.ceil((maxBytes * 78) / 57) + 80
    case 'quoted-printable':
      return Math.ceil((maxBytes * 79) / 25) + 80
    default:
      return maxBytes
  }
}

async function decode(bytes: Buffer, { encoding }: BodyPart, maxBytes: number): Promise<Buffer> {
  return Buffer.concat(
    await Array.fromAsync(
      takeBytes(decodeTransferEncoding(singleChunk(bytes), encoding), maxBytes),
    ),
  )
}

async function* singleChunk(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}
