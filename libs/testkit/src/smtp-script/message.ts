import { createHash } from 'node:crypto'
import type { ByteReader } from '../byte-reader.ts'

export function messageIdOf(raw: Buffer): string {
  const end = raw.indexOf('\r\n\r\n')
  const head = raw.subarray(0, end < 0 ? raw.length : end).toString('latin1')
  return /^message-id:\s*(<[^>]*>)/im.exec(head)?.[1] ?? ''
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const dot = Buffer.from('\r\n.\r\n')

/**
 * Reads a message of the SMTP client up to the line with a single dot and removes dot stuffing (RFC
 * 5321 §4.5.2). Undefined if the connection ends before. `before` is called before each read with
 * the number of bytes so far, and stops reading by returning false.
 */
export async function readBody(
  incoming: ByteReader,
  before: ((bytes: number) => Promise<boolean>) | undefined,
): Promise<Buffer | undefined> {
  // The line end of the SMTP command DATA counts as the line end before the dot, so that a message
  // may be empty.
  const parts: Buffer[] = [Buffer.from('\r\n')]
  let length = 2
  let tail = parts[0] ?? Buffer.alloc(0)
  for (;;) {
    if (before && !(await before(length - 2))) return undefined
    const more = await incoming.bytes()
    if (!more) return undefined
    const seam = Buffer.concat([tail, more])
    const at = seam.indexOf(dot)
    parts.push(more)
    length += more.length
    if (at >= 0) {
      const end = length - seam.length + at
      incoming.unread(seam.subarray(at + dot.length))
      return unstuff(Buffer.concat(parts).subarray(2, end + 2))
    }
    tail = seam.subarray(Math.max(0, seam.length - dot.length + 1))
  }
}

function unstuff(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x2e && !bytes.includes('\r\n.')) return bytes
  return Buffer.from(
    bytes.toString('latin1').replace(/^\./, '').replaceAll('\r\n.', '\r\n'),
    'latin1',
  )
}
