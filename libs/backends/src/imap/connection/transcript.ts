import type { Credentials } from '@posthorn/contracts/commands/credentials'
import type { TranscriptLine } from '../../mail-session.ts'
import { clean } from '../text.ts'

const maxLength = 2_000
const hidden = '(hidden)'
/**
 * Minimum length of a text that the transcript of an IMAP session hides. Shorter texts would hide
 * other text by chance.
 */
const minSecretLength = 6

/** Placeholder in log entries of imapflow for a literal or a long string. */
const sizePlaceholder = /^\(\* \d+B [a-z]+ \*\)$/

/**
 * Log entry of imapflow. Only an entry for a line of the IMAP protocol has the member `src`.
 * Literals and long strings are replaced by their size.
 */
interface Entry {
  src?: unknown
  msg?: unknown
}

/**
 * Formats the lines of an IMAP session for operators. Hides credentials by their position: the
 * arguments of LOGIN and AUTHENTICATE, and all lines until the tagged response to these commands.
 */
export class Transcript {
  readonly #onLine: (line: TranscriptLine) => void
  readonly #secrets: string[]
  /** Tag of the running LOGIN or AUTHENTICATE command, whose lines are hidden. */
  #secretTag: string | undefined
  #afterLogin = false

  constructor(onLine: (line: TranscriptLine) => void, credentials: Credentials) {
    const secret = 'pass' in credentials ? credentials.pass : credentials.accessToken
    this.#onLine = onLine
    this.#secrets = [secret, Buffer.from(secret).toString('base64')].filter(
      ({ length }) => length >= minSecretLength,
    )
  }

  write({ src, msg }: Entry): void {
    if (typeof msg !== 'string') return
    if (src === 'c') this.#emit('client', this.#ofClient(msg))
    else if (src === 's') this.#emit('server', this.#ofServer(msg))
    else this.#emit('us', msg)
  }

  #ofClient(line: string): string {
    const [, tag, command] = /^(\S+) (LOGIN|AUTHENTICATE)\b/i.exec(line) ?? []
    if (tag !== undefined) this.#secretTag = tag
    if (command !== undefined) return `${tag} ${command} ${hidden}`
    return this.#secretTag === undefined ? line : hidden
  }

  #ofServer(line: string): string {
    if (this.#secretTag !== undefined) {
      if (line.startsWith(`${this.#secretTag} `)) this.#endLogin(line)
      else if (!line.startsWith('* ')) return `+ ${hidden}`
    }
    // imapflow logs short parts of messages as quoted strings, which are replaced by their size
    // here. The pattern allows no brackets in a section name, which keeps its time linear.
    return line.replaceAll(
      /((?:BODY|BINARY)\[[^[\]]*\](?:<\d+>)?) "((?:[^"\\]|\\.)*)"/gi,
      (whole, item: string, text: string) =>
        sizePlaceholder.test(text) ? whole : `${item} "(* ${text.length}B string *)"`,
    )
  }

  /**
   * Ends the hidden lines of a login at its tagged response, which only an IMAP server sends (RFC
   * 9051 §7.1). Tenants see lines only after an accepted login, because the text of a rejected
   * login may name hosts.
   */
  #endLogin(line: string): void {
    this.#secretTag = undefined
    if (/^\S+ OK\b/i.test(line)) this.#afterLogin = true
  }

  #emit(from: TranscriptLine['from'], line: string): void {
    let text = clean(line)
    for (const secret of this.#secrets) text = text.replaceAll(secret, hidden)
    if (text.length > maxLength) text = `${text.slice(0, maxLength - 1).toWellFormed()}…`
    this.#onLine({ at: new Date(), from, text, afterLogin: this.#afterLogin })
  }
}
