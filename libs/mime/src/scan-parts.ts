import { parseHeaders } from './headers.ts'
import { type MessageSource, rangeBytes } from './message-source.ts'

/**
 * Part of a message that has no parts itself. `start` and `end` are the positions of its encoded
 * body.
 */
export interface LeafPart {
  contentType: string
  /**
   * Content disposition of the message part, without parameters. Empty if the part has no content
   * disposition.
   */
  disposition: string
  /** Transfer encoding of the message part in lower case. Defaults to `7bit`. */
  encoding: string
  start: number
  end: number
}

/** Maximum number of parts of a message, including multiparts. Further parts are not listed. */
const maxParts = 1_000
/** Maximum number of bytes in the header section of a message or part. */
const maxSectionBytes = 1024 * 1024
/**
 * Maximum number of bytes that are compared to decide whether a line of a message is a MIME
 * boundary. A boundary has at most 70 characters (RFC 2046 §5.1.1).
 */
const maxBoundaryLine = 256

/**
 * Lists the parts of a message (RFC 2046) that have no parts themselves. Reads the source once, and
 * holds at most two ranges of the source in memory. Never throws for malformed messages. If a part
 * cannot be separated from the previous part, it counts as belonging to that part.
 */
export async function scanParts(source: MessageSource): Promise<LeafPart[]> {
  const scanner = new PartScanner(source)
  await scanner.run()
  return scanner.leaves
}

class PartScanner {
  readonly leaves: LeafPart[] = []
  readonly #source: MessageSource
  /**
   * MIME boundaries of the multiparts of a message that have not ended yet. The last boundary
   * belongs to the innermost multipart.
   */
  readonly #boundaries: string[] = []
  #window: Buffer = Buffer.alloc(0)
  /**
   * `#offset` is the position of the window (the bytes of the message that are in memory) in the
   * message, `#at` the position of the next byte in the window.
   */
  #offset = 0
  #at = 0

  constructor(source: MessageSource) {
    this.#source = source
  }

  async run(): Promise<void> {
    for (let count = 0; count < maxParts; count++) if (!(await this.#part())) return
  }

  /**
   * Reads a part of the message, and continues to the next part. Returns false if the message has
   * ended.
   */
  async #part(): Promise<boolean> {
    const headers = await this.#headers()
    const type = headers['content-type']?.[0] ?? 'text/plain'
    const start = this.#offset + this.#at + (this.#isAtLineEnd() ? 2 : 0)
    const boundary = /^multipart\//i.test(type) ? boundaryOf(type) : undefined
    if (boundary !== undefined) this.#boundaries.push(boundary)
    let line = await this.#boundaryLine()
    if (boundary === undefined)
      this.leaves.push({ ...leafOf(headers), start, end: Math.max(start, line.start) })
    while (line.isLast) line = await this.#boundaryLine()
    return line.isFound
  }

  /**
   * Reads the header section of a message part. Afterwards, the next byte to read is the line end
   * of the empty line after the header section.
   */
  async #headers(): Promise<Record<string, string[]>> {
    await this.#fill(maxSectionBytes)
    if (this.#isAtLineEnd()) return {}
    const rest = this.#window.subarray(this.#at, this.#at + maxSectionBytes)
    const end = rest.indexOf('\r\n\r\n')
    const section = end === -1 ? rest : rest.subarray(0, end + 2)
    this.#at += section.length
    return parseHeaders(section)
  }

  /**
   * True if the next byte of the message begins a line end. Such a line end may belong to a MIME
   * boundary.
   */
  #isAtLineEnd(): boolean {
    return this.#window.toString('latin1', this.#at, this.#at + 2) === '\r\n'
  }

  /**
   * Continues to the next MIME boundary line of the innermost open multipart. `start` is the end of
   * the body before the boundary line. `isLast` is true if the line ends its multipart.
   */
  async #boundaryLine(): Promise<{ start: number; isFound: boolean; isLast: boolean }> {
    for (;;) {
      const next = this.#window.indexOf('\r\n--', this.#at)
      if (next === -1) {
        const isEnd = this.#offset + this.#window.length >= this.#source.length
        if (isEnd) return { start: this.#source.length, isFound: false, isLast: false }
        this.#at = Math.max(this.#at, this.#window.length - 3)
        await this.#fill(rangeBytes)
        continue
      }
      this.#at = next
      if (this.#window.length - next < maxBoundaryLine) await this.#fill(maxBoundaryLine)
      const start = this.#offset + this.#at
      const end = this.#window.indexOf('\r\n', this.#at + 2)
      const stop = Math.min(end === -1 ? this.#window.length : end, this.#at + maxBoundaryLine)
      const line = this.#window.toString('latin1', this.#at + 4, stop).trimEnd()
      const match = this.#close(line)
      this.#at = match && end !== -1 ? end + (match.isLast ? 0 : 2) : this.#at + 4
      if (match) return { start, isFound: true, ...match }
    }
  }

  /**
   * Compares a line of a message with the MIME boundary of the innermost multipart, like
   * mailparser. If the line is the last boundary, the multipart is closed.
   */
  #close(line: string): { isLast: boolean } | undefined {
    const boundary = this.#boundaries.at(-1)
    if (boundary === undefined || (line !== boundary && line !== `${boundary}--`)) return undefined
    const isLast = line !== boundary
    if (isLast) this.#boundaries.pop()
    return { isLast }
  }

  /**
   * Reads the next range of the message if less than `bytes` unread bytes are in memory and the
   * message has not ended.
   */
  async #fill(bytes: number): Promise<void> {
    const end = this.#offset + this.#window.length
    if (this.#window.length - this.#at >= bytes || end >= this.#source.length) return
    const next = await this.#source.read(end, Math.min(end + rangeBytes, this.#source.length))
    this.#offset += this.#at
    this.#window = Buffer.concat([this.#window.subarray(this.#at), next])
    this.#at = 0
  }
}

function leafOf(headers: Record<string, string[]>): Omit<LeafPart, 'start' | 'end'> {
  const value = (name: string, fallback: string) =>
    (headers[name]?.[0] ?? fallback).split(';', 1).join('').trim().toLowerCase()
  return {
    contentType: value('content-type', 'text/plain'),
    disposition: value('content-disposition', ''),
    encoding: value('content-transfer-encoding', '7bit'),
  }
}

function boundaryOf(type: string): string | undefined {
  const [, quoted, token] =
    /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type) ?? []
  return (quoted ?? token)?.trimEnd()
}
