import type { BodyPart, PartRequest } from '../../mail-session.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { decodeTransferEncoding, takeBytes } from '../../decode.ts'
import { fetchOne } from './download.ts'
import { findPart, sectionOf } from './structure.ts'

/** Fetches the first bytes of several MIME parts of one message with one FETCH command. */
export async function readParts(
  connection: ImapConnection,
  uid: number,
  { structure, wanted }: { structure: BodyPart; wanted: readonly PartRequest[] },
): Promise<Map<string, Buffer>> {
  const sections = wanted.flatMap(({ part, maxBytes }) => {
    const bodyPart = findPart(structure, part)
    if (!bodyPart || maxBytes <= 0) return []
    const key = sectionOf(structure, part)
    return [{ part, key, maxBytes, bodyPart, maxLength: encodedBytes(bodyPart, maxBytes) }]
  })
  if (sections.length === 0) return new Map()
  const row = await fetchOne({ connection, mailbox: connection.selected }, uid, {
    uid: true,
    bodyParts: sections.map(({ key, maxLength }) => ({ key, start: 0, maxLength })),
  })
  const parts = new Map<string, Buffer>()
  for (const { part, key, maxBytes, bodyPart } of sections) {
    const bytes = row.bodyParts?.get(key.toLowerCase())
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
