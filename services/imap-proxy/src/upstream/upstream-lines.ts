import type { Socket } from 'node:net'
import { AppError } from '@posthorn/errors'
import { readMore } from '../sockets.ts'

export type ServerResponse =
  | { kind: 'untagged'; text: string }
  | { kind: 'continue'; text: string }
  | { kind: 'tagged'; status: 'OK' | 'NO' | 'BAD'; text: string }

/** Tagged response of a mail server: the result of an IMAP command. */
export interface TaggedResponse {
  status: 'OK' | 'NO' | 'BAD'
  text: string
  /**
   * Last capabilities that the mail server sent during an IMAP command, as response code or
   * untagged response.
   */
  capabilities: Set<string> | undefined
}

/**
 * Maximum length of a line of a mail server, above any greeting, capability list or notification.
 */
const maxLineBytes = 64 * 1_024
const maxBytes = 256 * 1_024
const tag = 'P1'

/**
 * Connection of the IMAP proxy to a mail server, read as lines until the login. Later bytes are
 * kept for the mail client.
 */
export class UpstreamLines {
  readonly socket: Socket
  #bytes = Buffer.alloc(0)
  #total = 0

  constructor(socket: Socket) {
    this.socket = socket
  }

  /** Returns the bytes of the mail server that follow the last line read during the login. */
  takeRest(): Buffer {
    const rest = this.#bytes
    this.#bytes = Buffer.alloc(0)
    return rest
  }

  /**
   * Sends a command to the mail server, and one continuation per `+` of the server. After the last
   * continuation, sends empty lines, which end XOAUTH2 and OAUTHBEARER after an error. Skips
   * untagged responses.
   *
   * @throws AppError `unreachable` or `rate-limited`
   */
  async command(text: string, continuations: readonly string[] = []): Promise<TaggedResponse> {
    const remaining = [...continuations]
    let capabilities: Set<string> | undefined
    this.socket.write(`${tag} ${text}\r\n`)
    for (;;) {
      const response = await this.read()
      capabilities = capabilitiesIn(response.text) ?? capabilities
      if (response.kind === 'continue') this.socket.write(`${remaining.shift() ?? ''}\r\n`)
      else if (response.kind === 'tagged')
        return { status: response.status, text: response.text, capabilities }
      else if (/^BYE\b/i.test(response.text)) throw errorForBye(response.text)
    }
  }

  async read(): Promise<ServerResponse> {
    const line = await this.#line()
    const [, kind = '', rest = ''] = /^(\S*) ?(.*)$/s.exec(line) ?? []
    if (kind === '+') return { kind: 'continue', text: rest }
    const [, status, text = ''] = /^(OK|NO|BAD)\b ?(.*)$/is.exec(rest) ?? []
    if (kind === tag && status)
      return { kind: 'tagged', status: status.toUpperCase() as 'OK', text }
    return { kind: 'untagged', text: rest }
  }

  /** Reads a line that the mail server sends; IMAP literals are replaced by a space. */
  async #line(): Promise<string> {
    let line = await this.#segment()
    for (let literal = literalOf(line); literal !== undefined; literal = literalOf(line)) {
      await this.#skip(literal)
      line = `${line.slice(0, line.lastIndexOf('{'))} ${await this.#segment()}`
      if (line.length > maxLineBytes) throw responseTooLarge()
    }
    return line
  }

  async #segment(): Promise<string> {
    let newline = this.#bytes.indexOf(0x0a)
    while (newline === -1) {
      if (this.#bytes.length > maxLineBytes) throw responseTooLarge()
      await this.#more()
      newline = this.#bytes.indexOf(0x0a)
    }
    const line = this.#bytes.subarray(0, newline).toString('utf8')
    this.#bytes = this.#bytes.subarray(newline + 1)
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }

  async #skip(count: number): Promise<void> {
    if (count > maxBytes) throw responseTooLarge()
    while (this.#bytes.length < count) await this.#more()
    this.#bytes = this.#bytes.subarray(count)
  }

  async #more(): Promise<void> {
    const chunk = await readMore(this.socket)
    if (!chunk) throw new AppError('unreachable', 'The mail server closed the connection')
    this.#total += chunk.length
    if (this.#total > maxBytes) throw responseTooLarge()
    this.#bytes = Buffer.concat([this.#bytes, chunk])
  }
}

/** Parses capabilities from a response code or an untagged response (RFC 9051 §7.1, §7.2.2). */
export function capabilitiesIn(text: string): Set<string> | undefined {
  const [, list] =
    /^(?:OK |PREAUTH )?\[CAPABILITY ([^\]]*)\]/i.exec(text) ?? /^CAPABILITY (.*)$/i.exec(text) ?? []
  return list === undefined ? undefined : new Set(list.toUpperCase().match(/\S+/g))
}

/**
 * Error for a BYE of the mail server: `rate-limited` if the server reports too many connections.
 */
export function errorForBye(text: string): AppError {
  return (
    connectionLimitError(text) ??
    new AppError('unreachable', 'The mail server ended the connection')
  )
}

/**
 * Error for a response text of the mail server that reports too many connections. Undefined for any
 * other text.
 */
export function connectionLimitError(text: string): AppError | undefined {
  return /\[LIMIT\]|too many|maximum number of connections/i.test(text)
    ? new AppError('rate-limited', 'The mail server accepts no more connections of this account')
    : undefined
}

function literalOf(line: string): number | undefined {
  const [, digits] = /\{(\d{1,10})\+?\}$/.exec(line) ?? []
  return digits === undefined ? undefined : Number(digits)
}

function responseTooLarge(): AppError {
  return new AppError('unreachable', 'Mail server response exceeds the size limit')
}
