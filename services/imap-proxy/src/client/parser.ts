export interface Command {
  tag: string
  /** Name of the IMAP command in upper case. */
  name: string
  args: Token[]
}

/** Input of a mail client before the login, as read by the command parser. */
export type Input =
  | { kind: 'command'; command: Command }
  /**
   * Literal that the IMAP client announced: the client waits for `+` before it sends the literal.
   */
  | { kind: 'continue' }
  /** Invalid IMAP command of the client. The tag is absent if the client's tag is invalid. */
  | { kind: 'bad'; tag?: string; text: string }
  /**
   * End of the login dialog with an IMAP client. The text is for BYE, and is absent if the peer is
   * not a mail client.
   */
  | { kind: 'end'; text?: string }

/**
 * Size limits of IMAP commands before the login, where clients send only an account and a token.
 */
export const parserLimits = { lineBytes: 8_192, literalBytes: 4_096, commandBytes: 16_384 } as const

/**
 * Start of data that is no IMAP: HTTP requests, as sent by a misused browser, and TLS handshakes on
 * a plaintext port.
 */
const foreignProtocol =
  /^(?:(?:GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH|CONNECT|TRACE|PRI) \S+ HTTP\/|Host: |\x16\x03)/i

/**
 * Parser of the IMAP commands before the login, independent of chunk boundaries. Holds at most the
 * bytes pushed since the last call of `next` and one command within `parserLimits`. Never throws.
 */
export class CommandParser {
  #bytes = Buffer.alloc(0)
  /** Tokens of the current IMAP command that have been read. */
  #tokens: Token[] = []
  #size = 0
  #fault: string | undefined
  #literal: number | undefined

  /** Number of bytes received from the IMAP client that the command parser has not read. */
  get pending(): number {
    return this.#bytes.length
  }

  push(chunk: Uint8Array): void {
    this.#bytes =
      this.#bytes.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#bytes, chunk])
  }

  /**
   * Returns the next command or other input of the IMAP client, or undefined while the input is
   * incomplete.
   */
  next(): Input | undefined {
    for (;;) {
      if (!this.#takeLiteral()) return undefined
      const line = this.#takeLine()
      if (line === undefined) return this.#tooLong() ? end('Command line too long') : undefined
      const input = this.#readLine(line)
      if (input) return input
    }
  }

  /**
   * Returns a line of the IMAP client inside AUTHENTICATE; null while the line is incomplete,
   * undefined if the line is too long.
   */
  line(): string | null | undefined {
    if (this.#tooLong()) return undefined
    const line = this.#takeLine()
    return line === undefined ? null : line.toString('latin1')
  }

  /**
   * Returns and removes all bytes received from the IMAP client that the command parser has not
   * read.
   */
  takeRest(): Buffer {
    const rest = this.#bytes
    this.#bytes = Buffer.alloc(0)
    return rest
  }

  #tooLong(): boolean {
    const newline = this.#bytes.indexOf(0x0a)
    return (newline === -1 ? this.#bytes.length : newline) > parserLimits.lineBytes
  }

  #takeLine(): Buffer | undefined {
    const newline = this.#bytes.indexOf(0x0a)
    if (newline === -1 || newline > parserLimits.lineBytes) return undefined
    const line = this.#take(newline + 1).subarray(0, -1)
    return line.at(-1) === 0x0d ? line.subarray(0, -1) : line
  }

  #take(count: number): Buffer {
    const taken = this.#bytes.subarray(0, count)
    this.#bytes = this.#bytes.subarray(count)
    return taken
  }

  /**
   * Reads an announced literal of the IMAP client. Returns false while the literal is incomplete.
   */
  #takeLiteral(): boolean {
    if (this.#literal === undefined) return true
    if (this.#bytes.length < this.#literal) return false
    this.#tokens.push({ kind: 'word', text: this.#take(this.#literal).toString('utf8') })
    this.#literal = undefined
    return true
  }

  #readLine(line: Buffer): Input | undefined {
    if (this.#tokens.length === 0 && foreignProtocol.test(line.toString('latin1')))
      return { kind: 'end' }
    this.#size += line.length
    const { tokens, literal, malformed } = readSegment(line.toString('utf8'))
    this.#tokens.push(...tokens)
    if (malformed) this.#fault ??= 'Invalid command'
    if (this.#size > parserLimits.commandBytes) return end('Command too long')
    return literal ? this.#announce(literal) : this.#finish()
  }

  #announce({ digits, sync }: { digits: string; sync: boolean }): Input | undefined {
    const size = Number(digits)
    if (tagOf(this.#tokens) === undefined) this.#fault ??= 'Invalid tag'
    const fits = size <= parserLimits.literalBytes && this.#size + size <= parserLimits.commandBytes
    // Ends the login dialog if an IMAP literal without synchronization is too large, because the
    // client sends such a literal even if it is rejected (RFC 9051 §4.3).
    if (digits.length > 10 || (!fits && !sync)) return end('Literal too large')
    if (!fits) this.#fault ??= '[TOOBIG] Literal too large'
    if (sync && this.#fault) return this.#finish()
    this.#size += size
    this.#literal = size
    return sync ? { kind: 'continue' } : undefined
  }

  #finish(): Input {
    const tag = tagOf(this.#tokens)
    const [, name, ...args] = this.#tokens
    const fault = this.#fault
    this.#tokens = []
    this.#size = 0
    this.#fault = undefined
    if (tag === undefined) return { kind: 'bad', text: 'Invalid tag' }
    if (fault !== undefined) return { kind: 'bad', tag, text: fault }
    if (name?.kind !== 'word' || name.text === '')
      return { kind: 'bad', tag, text: 'Missing command' }
    return { kind: 'command', command: { tag, name: name.text.toUpperCase(), args } }
  }
}

function tagOf([first]: readonly Token[]): string | undefined {
  return first?.kind === 'word' && isTag(first.text) ? first.text : undefined
}

function end(text: string): Input {
  return { kind: 'end', text }
}

/**
 * Part of an IMAP command: a word (atom, quoted string or literal, equivalent here) or a
 * parenthesis.
 */
export type Token = { kind: 'word'; text: string } | { kind: 'open' } | { kind: 'close' }

/** Part of an IMAP command up to the end of a line. */
interface CommandSegment {
  tokens: Token[]
  /**
   * Literal that the IMAP client announces at the end of the line (RFC 9051 §4.3). `sync`: the
   * client waits for `+`.
   */
  literal?: { digits: string; sync: boolean }
  /** True if a line of the mail client cannot be part of an IMAP command. */
  malformed?: true
}

// Pattern of a token of an IMAP command: quoted string, parentheses, literal at the end of the
// line, or atom. All alternatives match in linear time.
const token = / *(?:"((?:[^"\\]|\\["\\])*)"|(\()|(\))|(?<![^ (])\{(\d+)(\+?)\}$|([^ "(){}]+))/y

/**
 * Splits one line of an IMAP command into tokens, up to the end of the line or a literal. Never
 * throws.
 */
export function readSegment(line: string): CommandSegment {
  const tokens: Token[] = []
  // NUL is never allowed in an IMAP command, and CR only before LF (RFC 9051 §9).
  if (/[\0\r]/.test(line)) return { tokens, malformed: true }
  const text = line.trimEnd()
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const match = token.exec(text)
    if (!match) return { tokens, malformed: true }
    const [, quoted, open, close, digits, plus, atom] = match
    if (digits !== undefined) return { tokens, literal: { digits, sync: plus === '' } }
    if (open !== undefined) tokens.push({ kind: 'open' })
    else if (close !== undefined) tokens.push({ kind: 'close' })
    else tokens.push({ kind: 'word', text: quoted?.replace(/\\(.)/g, '$1') ?? atom ?? '' })
  }
  return { tokens }
}

/**
 * True for a valid IMAP tag: ASTRING-CHAR without "+" (RFC 9051 §9), at most 64 characters,
 * because tags are echoed.
 */
function isTag(text: string): boolean {
  return /^[!#$&',\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]{1,64}$/.test(text)
}
