import type { Socket } from 'node:net'
import { AppError } from '@posthorn/errors'
import { readMore } from './read-more.ts'

export type Response =
  | { kind: 'untagged'; text: string }
  | { kind: 'continue'; text: string }
  | { kind: 'tagged'; status: 'OK' | 'NO' | 'BAD'; text: string }

export interface Outcome {
  status: 'OK' | 'NO' | 'BAD'
  text: string
  /** Capabilities told on the way, by a code or an untagged line. */
  capabilities: Set<string> | undefined
}

/** More than any greeting, list of capabilities or notice has. */
const maxLineBytes = 64 * 1_024
const maxBytes = 256 * 1_024
const tag = 'P1'

/** The mail server's side, as lines, until we are logged in. What comes after the last line read is kept for the client. */
export class UpstreamLines {
  readonly socket: Socket
  #bytes = Buffer.alloc(0)
  #total = 0

  constructor(socket: Socket) {
    this.socket = socket
  }

  /** The bytes after the last line read. */
  takeRest(): Buffer {
    const rest = this.#bytes
    this.#bytes = Buffer.alloc(0)
    return rest
  }

  /**
   * Sends a command, and `answers` one after the other as the server asks to go on; where it asks for more than there are, it gets an
   * empty line (which ends XOAUTH2 and OAUTHBEARER after an error). Untagged lines of any kind pass.
   */
  async command(text: string, answers: readonly string[] = []): Promise<Outcome> {
    const left = [...answers]
    let capabilities: Set<string> | undefined
    this.socket.write(`${tag} ${text}\r\n`)
    for (;;) {
      const response = await this.read()
      capabilities = capabilitiesIn(response.text) ?? capabilities
      if (response.kind === 'continue') this.socket.write(`${left.shift() ?? ''}\r\n`)
      else if (response.kind === 'tagged')
        return { status: response.status, text: response.text, capabilities }
      else if (/^BYE\b/i.test(response.text)) throw goodbye(response.text)
    }
  }

  async read(): Promise<Response> {
    const line = await this.#line()
    const [, kind = '', rest = ''] = /^(\S*) ?(.*)$/s.exec(line) ?? []
    if (kind === '+') return { kind: 'continue', text: rest }
    const [, status, text = ''] = /^(OK|NO|BAD)\b ?(.*)$/is.exec(rest) ?? []
    if (kind === tag && status)
      return { kind: 'tagged', status: status.toUpperCase() as 'OK', text }
    return { kind: 'untagged', text: rest }
  }

  /** A line, and whatever literals it has, as spaces. */
  async #line(): Promise<string> {
    let line = await this.#segment()
    for (let literal = literalOf(line); literal !== undefined; literal = literalOf(line)) {
      await this.#skip(literal)
      line = `${line.slice(0, line.lastIndexOf('{'))} ${await this.#segment()}`
      if (line.length > maxLineBytes) throw tooMuch()
    }
    return line
  }

  async #segment(): Promise<string> {
    let newline = this.#bytes.indexOf(0x0a)
    while (newline === -1) {
      if (this.#bytes.length > maxLineBytes) throw tooMuch()
      await this.#more()
      newline = this.#bytes.indexOf(0x0a)
    }
    const line = this.#bytes.subarray(0, newline).toString('utf8')
    this.#bytes = this.#bytes.subarray(newline + 1)
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }

  async #skip(count: number): Promise<void> {
    if (count > maxBytes) throw tooMuch()
    while (this.#bytes.length < count) await this.#more()
    this.#bytes = this.#bytes.subarray(count)
  }

  async #more(): Promise<void> {
    const chunk = await readMore(this.socket)
    if (!chunk) throw new AppError('unreachable', 'The mail server closed the connection')
    this.#total += chunk.length
    if (this.#total > maxBytes) throw tooMuch()
    this.#bytes = Buffer.concat([this.#bytes, chunk])
  }
}

/** RFC 9051 §7.1 and §7.2.2: as a code `[CAPABILITY …]`, or as a line of its own. */
export function capabilitiesIn(text: string): Set<string> | undefined {
  const [, list] =
    /^(?:OK |PREAUTH )?\[CAPABILITY ([^\]]*)\]/i.exec(text) ?? /^CAPABILITY (.*)$/i.exec(text) ?? []
  return list === undefined
    ? undefined
    : new Set(
        list
          .toUpperCase()
          .split(/\s+/)
          .filter((word) => word !== ''),
      )
}

/** A server that hangs up: for now, or because too many are connected. */
export function goodbye(text: string): AppError {
  return isLimit(text)
    ? new AppError('rate-limited', 'The mail server takes no more connections of this account')
    : new AppError('unreachable', 'The mail server ended the connection')
}

export function isLimit(text: string): boolean {
  return /\[LIMIT\]|too many|maximum number of connections/i.test(text)
}

function literalOf(line: string): number | undefined {
  const [, digits] = /\{(\d{1,10})\+?\}$/.exec(line) ?? []
  return digits === undefined ? undefined : Number(digits)
}

function tooMuch(): AppError {
  return new AppError('unreachable', 'The mail server says more than a login needs')
}
