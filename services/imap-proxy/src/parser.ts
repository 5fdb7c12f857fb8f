import { isTag, readSegment, type Token } from './tokens.ts'

export interface Command {
  tag: string
  /** In capitals. */
  name: string
  args: Token[]
}

/** What the client's bytes come to. */
export type Input =
  | { kind: 'command'; command: Command }
  /** A literal was announced: the client waits for `+`. */
  | { kind: 'continue' }
  /** Not a command; without a tag where the client's cannot be said back. */
  | { kind: 'bad'; tag?: string; text: string }
  /** Going on makes no sense: say goodbye, or nothing where it is not a mail client. */
  | { kind: 'end'; text?: string }

/** Before a login nobody has to say more than an account and a token. */
export const parserLimits = { lineBytes: 8_192, literalBytes: 4_096, commandBytes: 16_384 } as const

/** Lines of HTTP, as a browser made to talk to us would send them, and of TLS on a port without it. */
const foreign =
  /^(?:(?:GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH|CONNECT|TRACE|PRI) \S+ HTTP\/|Host: |\x16\x03)/i

/**
 * Reads the commands of a client that is not logged in yet, however its bytes are cut. Holds at most what `push` was given since the
 * last `next`, and one command within the limits. Never throws.
 */
export class CommandParser {
  #bytes = Buffer.alloc(0)
  /** Of the command at hand. */
  #tokens: Token[] = []
  #size = 0
  #fault: string | undefined
  #literal: number | undefined

  /** Bytes not read yet. */
  get pending(): number {
    return this.#bytes.length
  }

  push(chunk: Uint8Array): void {
    this.#bytes =
      this.#bytes.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#bytes, chunk])
  }

  /** The next input, or undefined while it is not complete. */
  next(): Input | undefined {
    for (;;) {
      if (!this.#takeLiteral()) return undefined
      const line = this.#takeLine()
      if (line === undefined) return this.#tooLong() ? end('Command line too long') : undefined
      const input = this.#readLine(line)
      if (input) return input
    }
  }

  /** One plain line, as in the middle of AUTHENTICATE; null while it is not complete, undefined when it is too long. */
  line(): string | null | undefined {
    if (this.#tooLong()) return undefined
    const line = this.#takeLine()
    return line === undefined ? null : line.toString('latin1')
  }

  /** Gives up all bytes that were not read as commands. */
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

  /** Whether no literal is under way any more. */
  #takeLiteral(): boolean {
    if (this.#literal === undefined) return true
    if (this.#bytes.length < this.#literal) return false
    this.#tokens.push({ kind: 'word', text: this.#take(this.#literal).toString('utf8') })
    this.#literal = undefined
    return true
  }

  #readLine(line: Buffer): Input | undefined {
    if (this.#tokens.length === 0 && foreign.test(line.toString('latin1'))) return { kind: 'end' }
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
    // RFC 9051 §4.3: a refused literal is not sent, unless the client did not ask; and a number like that is no client's.
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
