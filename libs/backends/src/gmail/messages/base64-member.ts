import type { Readable } from 'node:stream'
import { incompleteResponse, type MailApiError } from '../../mail-api/errors.ts'
import { bodyError } from '../requests.ts'

/**
 * Maximum characters before the base64url member of a Gmail response. Gmail sends few, because the
 * parameter `fields` selects that member only.
 */
const maxLeadLength = 1_024

/**
 * Reads the content of one base64url member of a JSON response of Gmail, decoded while it arrives:
 * the source of a message or the content of an attachment. Holds one chunk in memory.
 *
 * @throws MailApiError `unavailable` if the member is missing or cut; the signal's reason
 */
export async function* readBase64Member(
  body: Readable,
  name: 'raw' | 'data',
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = new Base64Member(name)
  try {
    for await (const chunk of body) {
      const bytes = reader.push((chunk as Buffer).toString('latin1'))
      if (bytes.length > 0) yield bytes
    }
    yield* reader.end()
  } catch (error) {
    throw bodyError(error, signal)
  }
}

/**
 * Decoder of the value of a base64url member in a JSON response that arrives in chunks. Its state
 * is a position before, in or after the value.
 */
class Base64Member {
  readonly #start: RegExp
  #state: 'before' | 'inside' | 'after' = 'before'
  #carry = ''

  constructor(name: string) {
    this.#start = new RegExp(`"${name}"\\s*:\\s*"`)
  }

  push(chunk: string): Uint8Array {
    if (this.#state === 'after') return empty
    let text = this.#carry + chunk
    if (this.#state === 'before') {
      const match = this.#start.exec(text)
      if (!match) {
        if (text.length > maxLeadLength) throw incomplete()
        this.#carry = text
        return empty
      }
      this.#state = 'inside'
      text = text.slice(match.index + match[0].length)
    }
    const end = text.indexOf('"')
    if (end !== -1) this.#state = 'after'
    return this.#decode(end === -1 ? text : text.slice(0, end))
  }

  *end(): Generator<Uint8Array> {
    if (this.#state !== 'after') throw incomplete()
    if (this.#carry !== '') yield Buffer.from(this.#carry, 'base64url')
  }

  /**
   * Decodes base64url text of a Gmail response. Padding may be escaped (`\u003d`). Keeps characters
   * that form no complete group of four, and an escape that is cut, for the next call.
   */
  #decode(text: string): Uint8Array {
    const escape = this.#state === 'after' ? -1 : text.lastIndexOf('\\')
    const isCut = escape > text.length - 6 && escape !== -1
    const whole = (isCut ? text.slice(0, escape) : text).replace(/\\u003d|=|\s/gi, '')
    const length = whole.length - (whole.length % 4)
    this.#carry = whole.slice(length) + (isCut ? text.slice(escape) : '')
    return Buffer.from(whole.slice(0, length), 'base64url')
  }
}

const empty = new Uint8Array()

function incomplete(): MailApiError {
  return incompleteResponse('The response of Gmail is incomplete')
}
