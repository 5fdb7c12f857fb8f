import { char, isDigit } from './characters.ts'
import { type RequestedBytes, requestedBytes } from './requested-bytes.ts'
import { FetchFilter, type Literal } from './fetch-filter.ts'
import {
  maxLineBytes,
  maxLineTokens,
  maxReadLineBytes,
  maxReadLiteralBytes,
  responseError,
  tokensPerTick,
} from './limits.ts'
import { Output } from './output.ts'

/** Filter for the lines of one IMAP response. */
interface LineFilter {
  readonly tokens: number
  read(byte: number, at: number): void
  literal(length: number, at: number): Literal
  end(at: number): void
}

/**
 * Start of an IMAP response whose kind is still unknown: FETCH, search result or another response.
 */
const undecided = /^\0*\*? *(?:\w{0,10} *\w{0,5} *)$/
/** Maximum number of bytes that are read to find out the kind of an IMAP response. */
const maxStart = 32

/**
 * Limits the responses of an IMAP server before imapflow parses them, in one pass and without
 * storing them. Needed because imapflow parses a whole response without a pause, and ends the
 * connection if a response is too large.
 */
export class ResponseFilter {
  /** Limits for the message content that the running IMAP command requests. */
  #requested: RequestedBytes = requestedBytes([])
  readonly #out = new Output()
  readonly #marker = new LiteralMarker()
  #start = ''
  #line: LineFilter | undefined
  #literal: Literal = { length: 0, kept: 0 }
  #commandTokens = 0
  #tickTokens = 0
  #lineBytes = 0
  #literalBytes = 0

  /**
   * Called before an IMAP command is sent. `requested` are the limits for the message content that
   * the command requests.
   */
  startCommand(requested: RequestedBytes): void {
    this.#requested = requested
    this.#commandTokens = 0
  }

  /**
   * Filters a chunk of IMAP input. Returns the bytes within the limits, in pieces. The event loop
   * must run between two pieces.
   * @throws an error with a code, after which the connection must end
   */
  push(chunk: Buffer): Buffer[] {
    this.#out.start(chunk)
    for (let at = 0; at < chunk.length;)
      if (this.#literal.length > 0) at = this.#passLiteral(at, chunk.length)
      else this.#read(chunk[at] ?? 0, at++)
    return this.#out.end()
  }

  #passLiteral(at: number, end: number): number {
    const { length, kept } = this.#literal
    const bytes = Math.min(length, end - at)
    if (kept > 0) this.#out.keep(at)
    if (kept < bytes) this.#out.drop(at + kept)
    this.#literal = { length: length - bytes, kept: Math.max(0, kept - bytes) }
    return at + bytes
  }

  #read(byte: number, at: number): void {
    if (++this.#lineBytes > maxReadLineBytes)
      throw responseError('LineTooLarge', 'The mail server sent a line that is too long')
    const literalLength = this.#marker.read(byte)
    if (!this.#line) this.#begin(byte)
    else if (byte !== char.lf) this.#line.read(byte, at)
    if (byte !== char.lf) return
    if (literalLength === undefined) return this.#end(at)
    this.#literal = (this.#line ?? this.#decide()).literal(literalLength, at + 1)
    this.#literalBytes += literalLength
    if (this.#literalBytes > maxReadLiteralBytes)
      throw responseError('ResponseTooLarge', 'The mail server sent a response that is too large')
  }

  /** Collects the first bytes of an IMAP response until they show which kind of response it is. */
  #begin(byte: number): void {
    this.#start += String.fromCharCode(byte)
    if (byte === char.lf) return
    if (this.#start.length >= maxStart || !undecided.test(this.#start)) this.#decide()
    else if (/^\0*\* (?:ESEARCH|VANISHED|SEARCH) $/i.test(this.#start)) this.#decide()
  }

  #decide(): LineFilter {
    const start = this.#start
    if (/^\0*\* +\d{1,10} +FETCH +\($/i.test(start))
      this.#line = new FetchFilter(this.#out, this.#requested, this.#commandTokens)
    else if (/^\0*\* (?:ESEARCH|VANISHED) $/i.test(start)) this.#line = new SetFilter(this.#out)
    else this.#line = new PlainFilter(this.#out, /^\0*\* SEARCH /i.test(start) ? Infinity : 1)
    return this.#line
  }

  #end(at: number): void {
    this.#line?.end(at)
    const tokens = this.#line?.tokens ?? 1
    this.#commandTokens += tokens
    this.#tickTokens += tokens
    // IMAP input is split only after an untagged response. A tagged response stays in one piece
    // with the bytes after it, because imapflow detects bytes that were injected before TLS.
    if (this.#tickTokens > tokensPerTick && /^\0*\*/.test(this.#start)) {
      this.#out.split(at + 1)
      this.#tickTokens = 0
    }
    this.#line = undefined
    this.#start = ''
    this.#lineBytes = this.#literalBytes = 0
  }
}

/**
 * Cuts off a line of an IMAP response at the limits, unless the response is a FETCH response or a
 * search result.
 */
class PlainFilter implements LineFilter {
  tokens = 0
  readonly #out: Output
  #bytes = 0
  readonly #factor: number

  constructor(out: Output, factor: number) {
    this.#out = out
    this.#factor = factor
  }

  get #isCut(): boolean {
    return this.#bytes > maxLineBytes * this.#factor || this.tokens > maxLineTokens * this.#factor
  }

  read(byte: number, at: number): void {
    this.#bytes++
    if (!isDigit(byte) && beginsToken(byte)) this.tokens++
    if (this.#isCut) this.#out.drop(at)
  }

  literal(length: number): Literal {
    if (length > maxLineBytes)
      throw responseError('LiteralTooLarge', 'The mail server sent a literal that is too large')
    const kept = this.#isCut ? 0 : length
    this.#bytes += length
    return { length, kept }
  }

  end(at: number): void {
    this.#out.keep(at)
    // Inserts a space, because the cut line of the IMAP response could otherwise end with the
    // marker of a literal.
    if (this.#isCut) this.#out.insert(at, ' ')
  }
}

/**
 * Puts the sequence sets of ESEARCH and VANISHED responses in quotes. imapflow reads a string in a
 * hundredth of the time that it needs for a sequence set.
 */
class SetFilter implements LineFilter {
  readonly tokens = 0
  readonly #out: Output
  #before: number = char.space
  #isSet = false

  constructor(out: Output) {
    this.#out = out
  }

  read(byte: number, at: number): void {
    if (this.#isSet && (byte === char.space || byte === char.cr || byte === char.close)) {
      this.#out.insert(at, '"')
      this.#isSet = false
    } else if (this.#before === char.space && isDigit(byte)) {
      this.#out.insert(at, '"')
      this.#isSet = true
    }
    this.#before = byte
  }

  literal(): Literal {
    throw responseError('InvalidResponse', 'The mail server sent an invalid search result')
  }

  end(at: number): void {
    if (this.#isSet) this.#out.insert(at, '"')
  }
}

function beginsToken(byte: number): boolean {
  switch (byte) {
    case char.space:
    case char.open:
    case char.quote:
    case char.less:
    case char.openBracket:
      return true
    default:
      return false
  }
}

type State = 'none' | 'open' | 'digits' | 'closed' | 'return'

/**
 * Detects the marker of a literal, such as `{123}`, at the end of an IMAP response line. As in
 * imapflow, quotes have no meaning, because a broken server may leave quotes open.
 */
class LiteralMarker {
  #state: State = 'none'
  #length = 0

  /**
   * Processes the next byte of an IMAP response line. Returns the length of the literal that begins
   * after this byte, if any.
   */
  read(byte: number): number | undefined {
    if (byte === char.openBrace) {
      this.#state = 'open'
      this.#length = 0
      return undefined
    }
    if (this.#state === 'none') return undefined
    const before = this.#state
    this.#state = next(before, byte)
    if (this.#state === 'digits') this.#length = this.#length * 10 + byte - char.zero
    return byte === char.lf && (before === 'closed' || before === 'return')
      ? this.#length
      : undefined
  }
}

function next(state: State, byte: number): State {
  if (isDigit(byte) && (state === 'open' || state === 'digits')) return 'digits'
  if (byte === char.closeBrace && state === 'digits') return 'closed'
  return byte === char.cr && state === 'closed' ? 'return' : 'none'
}
