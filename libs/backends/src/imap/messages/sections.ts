import type { BodyPart, PartRequest, Section } from '../../mail-session.ts'
import { findPart, sectionOf } from './structure.ts'

/** MIME part whose first bytes are requested, and the section to fetch for these bytes. */
export interface PartSection extends Section {
  part: string
  /** Maximum bytes of the requested MIME part, counted after decoding. */
  maxBytes: number
  bodyPart: BodyPart
}

/**
 * Body sections to fetch for MIME parts of a message. Leaves out parts that the structure lacks.
 */
export function sectionsOf(structure: BodyPart, wanted: readonly PartRequest[]): PartSection[] {
  return wanted.flatMap(({ part, maxBytes }) => {
    const bodyPart = findPart(structure, part)
    if (!bodyPart || maxBytes <= 0) return []
    const key = sectionOf(structure, part)
    return [{ part, key, maxBytes, bodyPart, maxLength: encodedBytes(bodyPart, maxBytes) }]
  })
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
