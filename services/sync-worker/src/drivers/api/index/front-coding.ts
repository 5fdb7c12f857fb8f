// Front coding stores a list of texts. For each text it stores how many characters the text shares
// with the previous text at the beginning and at the end, and the remaining part. Ids of one
// mailbox have the same length, share most characters, and need four or six bits per character.

const hex = Buffer.from('0123456789abcdef')
const base64url = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')

/**
 * Encoding of the remaining part of a front-coded text: UTF-8, packed hexadecimal or packed
 * base64url.
 */
const kinds = { text: 0, hex: 1, base64url: 2 } as const

type Kind = (typeof kinds)[keyof typeof kinds]

const hexDigits = valuesOf(hex)
const base64urlDigits = valuesOf(base64url)

function valuesOf(alphabet: Buffer): Int8Array {
  const values = new Int8Array(256).fill(-1)
  for (const [value, character] of alphabet.entries()) values[character] = value
  return values
}

/** Text in a front-coded list, and the parts that it shares with the previous text. */
class ListedText {
  bytes = Buffer.alloc(256)
  length = 0
  /**
   * Numbers of bytes that a front-coded text shares with the previous text, at the beginning and at
   * the end.
   */
  prefix = 0
  suffix = 0
  kind: Kind = kinds.text

  set(text: string): void {
    this.reserve(3 * text.length)
    this.length = this.bytes.write(text)
  }

  /**
   * Enlarges the buffer of a front-coded text to `length` bytes or more. Keeps the content of the
   * buffer.
   */
  reserve(length: number): void {
    if (length > this.bytes.length) this.bytes = Buffer.concat([this.bytes, Buffer.alloc(length)])
  }
}

/**
 * Creates the assumed previous text of the first text in a list. The assumed text is "=", because
 * some ids end with "=" and then have a remaining part in base64url.
 */
function textBefore(): ListedText {
  const text = new ListedText()
  text.set('=')
  text.suffix = 1
  return text
}

/** Writer of bytes, integers and front-coded texts. Its buffer grows as needed. */
export class PackedWriter {
  #bytes = Buffer.allocUnsafe(4_096)
  #length = 0
  #last = textBefore()
  #next = new ListedText()

  /** Returns a copy of all bytes that were written to the buffer of a `PackedWriter`. */
  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length))
  }

  /** Writes a non-negative integer below 2^31, seven bits per byte (LEB128). */
  integer(value: number): void {
    let rest = value
    for (; rest > 127; rest >>>= 7) this.#byte((rest & 127) | 128)
    this.#byte(rest)
  }

  bytes(bytes: Uint8Array): void {
    this.integer(bytes.length)
    for (const byte of bytes) this.#byte(byte)
  }

  /** Writes a text in front coding: only the differences from the previously written text. */
  text(text: string): void {
    const [last, next] = [this.#last, this.#next]
    next.set(text)
    next.prefix = sharedPrefix(last, next)
    next.suffix = sharedSuffix(last, next)
    next.kind = kindOf(last, next)
    const { prefix, suffix, kind } = next
    const end = next.length - suffix
    const isLike = next.length === last.length && suffix === last.suffix && kind === last.kind
    this.integer(zigzag(prefix - last.prefix) * 2 + (isLike ? 1 : 0))
    if (!isLike) {
      this.integer(suffix)
      this.integer((end - prefix) * 4 + kind)
    }
    if (kind === kinds.text) for (let at = prefix; at < end; at++) this.#byte(next.bytes[at] ?? 0)
    else this.#pack(next)
    this.#last = next
    this.#next = last
  }

  /**
   * Starts a list of front-coded texts. The first text of the list is not compared with an earlier
   * text.
   */
  startTexts(): void {
    this.#last = textBefore()
  }

  #pack({ bytes, length, prefix, suffix, kind }: ListedText): void {
    const [values, bits] = kind === kinds.hex ? [hexDigits, 4] : [base64urlDigits, 6]
    let [pending, count] = [0, 0]
    for (let at = prefix; at < length - suffix; at++) {
      pending = (pending << bits) | (values[bytes[at] ?? 0] ?? 0)
      count += bits
      if (count >= 8) {
        count -= 8
        this.#byte((pending >>> count) & 255)
        pending &= (1 << count) - 1
      }
    }
    if (count > 0) this.#byte((pending << (8 - count)) & 255)
  }

  #byte(byte: number): void {
    if (this.#length === this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes, Buffer.allocUnsafe(this.#bytes.length)])
    this.#bytes[this.#length++] = byte
  }
}

/**
 * Reader of the values that a `PackedWriter` wrote, in the same order. A read fails if the content
 * is damaged.
 */
export class PackedReader {
  readonly #bytes: Uint8Array
  #at = 0
  #last = textBefore()

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  integer(): number {
    let [value, shift] = [0, 0]
    for (;;) {
      const byte = this.#byte()
      value |= (byte & 127) << shift
      if (byte < 128) return value
      shift += 7
    }
  }

  bytes(): Uint8Array {
    return this.#take(this.integer())
  }

  text(): string {
    const last = this.#last
    const header = this.integer()
    const prefix = last.prefix + unzigzag(header >>> 1)
    let { suffix, kind } = last
    let length = last.length - prefix - suffix
    if ((header & 1) === 0) {
      suffix = this.integer()
      const rest = this.integer()
      length = rest >>> 2
      kind = (rest & 3) as Kind
    }
    const isPossible = prefix >= 0 && length >= 0 && prefix + suffix <= last.length
    if (!isPossible || length > 4 * this.#bytes.length) throw damaged()
    const end = prefix + length
    last.reserve(end + suffix)
    last.bytes.copyWithin(end, last.length - suffix, last.length)
    if (kind === kinds.text) last.bytes.set(this.#take(length), prefix)
    else this.#unpack(kind, prefix, end)
    last.length = end + suffix
    last.prefix = prefix
    last.suffix = suffix
    last.kind = kind
    return last.bytes.toString('utf8', 0, last.length)
  }

  startTexts(): void {
    this.#last = textBefore()
  }

  #unpack(kind: Kind, from: number, to: number): void {
    const [alphabet, bits] = kind === kinds.hex ? [hex, 4] : [base64url, 6]
    const characters = this.#last.bytes
    let [pending, count] = [0, 0]
    for (let at = from; at < to; at++) {
      if (count < bits) {
        pending = (pending << 8) | this.#byte()
        count += 8
      }
      count -= bits
      characters[at] = alphabet[(pending >>> count) & ((1 << bits) - 1)] ?? 0
      pending &= (1 << count) - 1
    }
  }

  #take(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw damaged()
    const bytes = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return bytes
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw damaged()
    return byte
  }
}

function damaged(): Error {
  return new Error('unexpected end of packed content')
}

/**
 * Zigzag code of an integer. Maps integers near 0, also negative integers, to small non-negative
 * numbers, which take few bytes.
 */
function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}

function unzigzag(value: number): number {
  return (value & 1) === 0 ? value >>> 1 : -((value + 1) >>> 1)
}

function sharedPrefix(one: ListedText, other: ListedText): number {
  const limit = Math.min(one.length, other.length)
  let shared = 0
  while (shared < limit && one.bytes[shared] === other.bytes[shared]) shared++
  return shared
}

/**
 * Length of the end that two front-coded texts share, outside of the shared beginning. If this
 * length exceeds the shared end of the previous text by 1, returns the previous length: the extra
 * byte is usually a coincidence, and a changed length needs a longer header.
 */
function sharedSuffix(last: ListedText, next: ListedText): number {
  const limit = Math.min(last.length, next.length) - next.prefix
  let shared = 0
  while (
    shared < limit &&
    last.bytes[last.length - 1 - shared] === next.bytes[next.length - 1 - shared]
  )
    shared++
  return shared === last.suffix + 1 ? last.suffix : shared
}

/**
 * Chooses the encoding of the remaining part of a front-coded text. Prefers the encoding of the
 * previous text, because another encoding needs a longer header.
 */
function kindOf(last: ListedText, next: ListedText): Kind {
  const isHex = isMadeOf(next, hexDigits)
  if (isHex && last.kind !== kinds.base64url) return kinds.hex
  return isHex || isMadeOf(next, base64urlDigits) ? kinds.base64url : kinds.text
}

/** True if the remaining part of a front-coded text consists only of the digits in `values`. */
function isMadeOf({ bytes, length, prefix, suffix }: ListedText, values: Int8Array): boolean {
  for (let at = prefix; at < length - suffix; at++)
    if ((values[bytes[at] ?? 0] ?? -1) < 0) return false
  return true
}
