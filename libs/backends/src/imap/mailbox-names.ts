import { decodePath, encodePath, normalizePath } from './imapflow-internals.ts'
import type { ImapFlow } from 'imapflow'
import { withoutRoot } from './text.ts'
import { type Attributes, textOf } from './tokens.ts'

/** A server that lists more is not believed: what would be left out would look deleted, or never be looked at without anybody knowing. */
export const maxMailboxes = 25_000

/** Their first or second argument is the name of a mailbox. */
const namingCommands = new Set([
  'SELECT',
  'EXAMINE',
  'STATUS',
  'LIST',
  'CREATE',
  'DELETE',
  'RENAME',
  'SUBSCRIBE',
  'UNSUBSCRIBE',
  'APPEND',
  'GETQUOTAROOT',
  'COPY',
  'UID COPY',
  'MOVE',
  'UID MOVE',
])
const maxNames = 10_000

/** Names of mailboxes as a server writes them, and our paths. */
export class MailboxNames {
  readonly #client: ImapFlow
  /** Names as imapflow would write them, to names as the server did; and those back to our paths. */
  readonly #raw = new Map<string, string>()
  readonly #paths = new Map<string, string>()
  /** Names in modified UTF-7 that the server lists so. */
  readonly #encoded = new Set<string>()

  constructor(client: ImapFlow) {
    this.#client = client
  }

  /**
   * The path of a mailbox by the name the server lists it under. A name that would not come out the same when it is written again (raw
   * UTF-8, broken UTF-7) is a path as it is, and is written as it came, unless the server lists it in UTF-7 as well.
   */
  decodeListed(raw: string): string {
    const { path, isFaithful } = this.#read(raw)
    const name = encodePath(this.#client, path)
    if (isFaithful) {
      if (name === path || this.#encoded.size >= maxNames) return path
      this.#encoded.add(name)
      this.#raw.delete(name)
    } else if (path !== 'INBOX' && this.#paths.size < maxNames && !this.#encoded.has(name)) {
      this.#paths.set(raw, path)
      this.#raw.set(name, raw)
    }
    return path
  }

  /** The same by a name that stands elsewhere, which says nothing of how to write it: for NOTIFY, Dovecot 2.3 writes UTF-8 that it takes from nobody. */
  decodeOnly(raw: string): string {
    return this.#read(raw).path
  }

  /** As imapflow writes it. */
  encode(path: string): string {
    return encodePath(this.#client, path)
  }

  /** Whether the server is known to write a name otherwise than imapflow does. */
  isRaw(name: string): boolean {
    return this.#raw.has(name)
  }

  /** The arguments of a command, its names as the server writes them. */
  inCommand(command: string, attributes: Attributes): Attributes {
    if (this.#raw.size === 0 || !attributes || !namingCommands.has(command)) return attributes
    return attributes.map((attribute) => {
      const name = typeof attribute === 'string' ? attribute : textOf(attribute)
      const raw = name === undefined ? undefined : this.#raw.get(name)
      return raw === undefined ? attribute : { type: 'STRING', value: raw }
    })
  }

  #read(raw: string): { path: string; isFaithful: boolean } {
    const cachedPath = this.#paths.get(raw)
    if (cachedPath !== undefined) return { path: cachedPath, isFaithful: false }
    const decoded = decodePath(this.#client, raw)
    const isFaithful = encodePath(this.#client, decoded) === raw
    const path = withoutRoot(
      normalizePath(this.#client, isFaithful ? decoded : raw),
      this.#client.namespace?.delimiter,
    )
    return { path, isFaithful }
  }
}
