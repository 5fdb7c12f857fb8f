/** Pattern of the start of an IMAP command line: tag, optional UID, and name of the command. */
const commandLine = /^([^\s{]+) +(?:uid +)?([a-z]+)/i
/**
 * Pattern of the length of a literal at the end of an IMAP command line. The bytes of the literal
 * follow the line (RFC 9051 §4.3 and RFC 7888).
 */
const literal = /\{(\d{1,15})\+?\}\r?$/
/**
 * Number of characters at the start of an IMAP command line that are kept, to read the tag and the
 * name of the command.
 */
const maxStart = 128
/**
 * Number of characters at the end of an IMAP command line that are kept, to read the length of a
 * literal.
 */
const maxEnd = 24
/**
 * Number of bytes at the end of a chunk from the mail server in which the tagged response to an
 * IMAP command is searched.
 */
const searchedBytes = 1_024

/**
 * Tracks whether a command of an IMAP session is running, from the bytes of the client and of the
 * mail server. The tracker reads the lines of the client, without literals, and searches the
 * responses for the tag of the latest command. Pipelined commands end with the latest command.
 *
 * A wrong result only affects when a shutdown ends the session, and whether with BYE. The bytes of
 * a compressed session (RFC 4978) cannot be read.
 */
export class CommandTracker {
  /** Tag of the latest IMAP command while the command runs; otherwise empty. */
  #tag = ''
  #name = ''
  /**
   * First characters (`#start`) and last characters (`#end`) of the line that the IMAP client is
   * sending.
   */
  #start = ''
  #end = ''
  /** Number of bytes of a literal that the IMAP client has not sent yet. */
  #literalBytes = 0
  /** True while the current line of the IMAP client continues a command after a literal. */
  #isContinued = false
  /**
   * Last characters that the mail server sent. The characters may be the start of a tagged
   * response.
   */
  #received = '\n'
  #isCompressed = false

  /** True if the bytes of the IMAP session are compressed (RFC 4978). */
  get isCompressed(): boolean {
    return this.#isCompressed
  }

  /** True while an IMAP command runs. IDLE does not count, nor does a command line in progress. */
  get isBusy(): boolean {
    return this.#tag !== '' && this.#name !== 'IDLE'
  }

  /** Finds the start of IMAP commands in bytes that the client sent. */
  onSent(chunk: Buffer): void {
    if (this.#isCompressed) return
    for (let at = 0; at < chunk.length;) {
      if (this.#literalBytes > 0) {
        const length = Math.min(this.#literalBytes, chunk.length - at)
        this.#literalBytes -= length
        at += length
        continue
      }
      const newline = chunk.indexOf(0x0a, at)
      const end = newline === -1 ? chunk.length : newline
      this.#appendToLine(chunk, at, end)
      if (newline !== -1) this.#endLine()
      at = end + 1
    }
  }

  /** Finds the end of the running IMAP command in bytes that the mail server sent. */
  onReceived(chunk: Buffer): void {
    if (this.#isCompressed) return
    if (this.#tag !== '') this.#findResponse(chunk, `\n${this.#tag} `)
    this.#received = lastCharacters(this.#received, chunk, maxStart)
  }

  /** Ends the running IMAP command if the chunk contains the tagged response of the command. */
  #findResponse(chunk: Buffer, start: string): void {
    // Searches the end of the previous chunk as well, because the tagged response may be split
    // between two chunks.
    const head = this.#received.slice(1 - start.length) + chunk.toString('latin1', 0, start.length)
    const tail = chunk.toString('latin1', Math.max(0, chunk.length - searchedBytes))
    if (!head.includes(start) && !tail.includes(start)) return
    this.#isCompressed = this.#name === 'COMPRESS' && /\n\S+ ok/i.test(`\n${tail}`)
    this.#tag = ''
    // Stops waiting for a literal of the IMAP client, because the mail server may have rejected the
    // command before the client sent the literal.
    this.#literalBytes = 0
    this.#isContinued = false
  }

  #appendToLine(chunk: Buffer, from: number, to: number): void {
    const missing = maxStart - this.#start.length
    if (missing > 0) this.#start += chunk.toString('latin1', from, Math.min(to, from + missing))
    this.#end = lastCharacters(this.#end, chunk.subarray(from, to), maxEnd)
  }

  #endLine(): void {
    const [, tag, name = ''] = (this.#isContinued ? null : commandLine.exec(this.#start)) ?? []
    if (tag !== undefined) {
      this.#tag = tag
      this.#name = name.toUpperCase()
    } else if (/^done\r?$/i.test(this.#start)) this.#name = 'DONE'
    const [, length] = literal.exec(this.#end) ?? []
    this.#literalBytes = Number(length ?? 0)
    this.#isContinued = length !== undefined
    this.#start = this.#end = ''
  }
}

/**
 * Last `count` characters of `text` followed by `bytes`, which the client or the mail server of an
 * IMAP session sent.
 */
function lastCharacters(text: string, bytes: Buffer, count: number): string {
  const added = bytes.toString('latin1', Math.max(0, bytes.length - count))
  return (text + added).slice(-count)
}
