/**
 * Decodes the transfer encoding (RFC 2045 §6) of a MIME part in linear time, holding one chunk in
 * memory. Never fails: invalid input is passed on.
 */
export function decodeTransferEncoding(
  content: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): AsyncIterable<Uint8Array> {
  const decoder = decoderOf(encoding)
  return decoder ? transform(content, decoder) : content
}

/** Decodes the transfer encoding (RFC 2045 §6) of a MIME part's content in memory. Never fails. */
export function decodeBytes(content: Buffer, encoding: string | undefined): Buffer {
  const decoder = decoderOf(encoding)
  if (!decoder) return content
  if (decoder instanceof Base64 && isPlainBase64(content))
    return Buffer.from(content.toString('latin1'), 'base64')
  return Buffer.concat([decoder.push(content), decoder.end()])
}

/** Reads the first `maxBytes` of a byte stream, such as a MIME part, and does not request more. */
export async function* takeBytes(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let left = maxBytes
  if (left <= 0) return
  for await (const bytes of content) {
    yield bytes.length > left ? bytes.subarray(0, left) : bytes
    left -= bytes.length
    if (left <= 0) return
  }
}

/** Decoder of a MIME part's transfer encoding. Undefined if the content is not encoded. */
function decoderOf(encoding: string | undefined): Decoder | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case 'base64':
      return new Base64()
    case 'quoted-printable':
      return new QuotedPrintable()
    default:
      return undefined
  }
}

interface Decoder {
  push(bytes: Uint8Array): Uint8Array
  end(): Uint8Array
}

async function* transform(
  content: AsyncIterable<Uint8Array>,
  decoder: Decoder,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of content) {
    const out = decoder.push(bytes)
    if (out.length > 0) yield out
  }
  const out = decoder.end()
  if (out.length > 0) yield out
}

/**
 * Decoder of base64. Skips characters outside the alphabet. Padding in the middle, as in
 * concatenated texts, starts a new group.
 */
class Base64 implements Decoder {
  #carry = ''

  push(bytes: Uint8Array): Uint8Array {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    const pieces = (this.#carry + text.replaceAll(/[^A-Za-z0-9+/=]+/g, '')).split(/=+/)
    const last = pieces.pop() ?? ''
    const whole = last.length - (last.length % 4)
    this.#carry = last.slice(whole)
    return Buffer.concat(
      [...pieces, last.slice(0, whole)].map((piece) => Buffer.from(piece, 'base64')),
    )
  }

  end(): Uint8Array {
    return Buffer.from(this.#carry, 'base64')
  }
}

/** Maximum length in bytes of the end of a base64 text, from its first padding character on. */
const maxEndBytes = 8

/**
 * True if `Buffer` decodes a base64 text like `Base64`, in a third of the time: the text has no
 * padding before its end, and no character of the URL alphabet.
 */
function isPlainBase64(content: Buffer): boolean {
  if (content.includes('-') || content.includes('_')) return false
  const padding = content.indexOf('=')
  if (padding === -1) return true
  return (
    content.length - padding <= maxEndBytes &&
    /^[=\r\n]+$/.test(content.toString('latin1', padding))
  )
}

const tab = 9
const lf = 10
const cr = 13
const space = 32
const equals = 61

/**
 * Decoder of quoted-printable (RFC 2045 §6.7). An `=` that begins no sequence is kept. Blanks at
 * the end of a line are removed, because transports may add them.
 */
class QuotedPrintable implements Decoder {
  /**
   * Bytes of quoted-printable text that cannot be decoded before the next bytes arrive: blanks, or
   * an `=` and the bytes after the `=`.
   */
  #pending: number[] = []
  #out = Buffer.alloc(0)
  #length = 0

  push(bytes: Uint8Array): Uint8Array {
    this.#out = Buffer.allocUnsafe(bytes.length + this.#pending.length)
    this.#length = 0
    for (const byte of bytes) this.#take(byte)
    return this.#out.subarray(0, this.#length)
  }

  end(): Uint8Array {
    const rest = this.#pending[0] === equals ? Uint8Array.from(this.#pending) : new Uint8Array()
    this.#pending = []
    return rest
  }

  #take(byte: number): void {
    if (this.#pending[0] === equals) this.#afterEquals(byte)
    else if (byte === equals) this.#hold(byte)
    else if (byte === space || byte === tab) this.#pending.push(byte)
    else {
      if (byte === cr || byte === lf) this.#pending = []
      this.#release()
      this.#put(byte)
    }
  }

  #hold(byte: number): void {
    this.#release()
    this.#pending.push(byte)
  }

  /** Handles `=XY` and soft line breaks of quoted-printable text: `=`, optional blanks, CRLF. */
  #afterEquals(byte: number): void {
    const [, second] = this.#pending
    if (byte === lf) this.#pending = []
    else if (second === undefined ? isHex(byte) || isBlank(byte) : isBlank(second) && isBlank(byte))
      this.#pending.push(byte)
    else if (second !== undefined && isHex(second) && isHex(byte)) {
      this.#pending = []
      this.#put(Number.parseInt(String.fromCharCode(second, byte), 16))
    } else {
      this.#release()
      this.#take(byte)
    }
  }

  #release(): void {
    for (const byte of this.#pending) this.#put(byte)
    this.#pending = []
  }

  #put(byte: number): void {
    this.#out[this.#length++] = byte
  }
}

/** True for bytes allowed between `=` and the end of a line of quoted-printable text. */
function isBlank(byte: number): boolean {
  return byte === space || byte === tab || byte === cr
}

function isHex(byte: number): boolean {
  return (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102)
}
