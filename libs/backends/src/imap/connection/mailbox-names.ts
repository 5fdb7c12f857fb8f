import { decodePath, encodePath, normalizePath } from '../imapflow-internals.ts'
import type { ImapFlow } from 'imapflow'
import { withoutRoot } from '../text.ts'
import { type Attributes, textOf } from '../tokens.ts'

/**
 * Maximum number of mailboxes of an account. A longer list is an error, because the remaining
 * mailboxes would appear deleted or never be synced.
 */
export const maxMailboxes = 25_000

/** IMAP commands with a mailbox name as the first or second argument. */
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

/** Maps mailbox names in the IMAP server's encoding to paths and back. */
export class MailboxNames {
  readonly #client: ImapFlow
  /**
   * Mailbox names in the server's encoding, by mailbox name in imapflow's encoding. The second map
   * has the mailbox paths, by name in the server's encoding.
   */
  readonly #raw = new Map<string, string>()
  readonly #paths = new Map<string, string>()
  /** Mailbox names that the IMAP server lists in modified UTF-7. */
  readonly #encoded = new Set<string>()

  constructor(client: ImapFlow) {
    this.#client = client
  }

  /**
   * Path of a mailbox name that the server listed (LIST), which also determines how the name is
   * sent. A name that changes by decoding and encoding (raw UTF-8, invalid UTF-7) is used as the
   * path and sent unchanged, unless the server also lists the name in UTF-7.
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

  /**
   * Path of a mailbox name from a response other than LIST. Such a name does not determine how the
   * name is sent: Dovecot 2.3 uses UTF-8 in NOTIFY responses but rejects UTF-8 in commands.
   */
  decodeOnly(raw: string): string {
    return this.#read(raw).path
  }

  /** Converts a mailbox path to the mailbox name in imapflow's encoding. */
  encode(path: string): string {
    return encodePath(this.#client, path)
  }

  /** True if the IMAP server lists the mailbox name in another encoding than imapflow's. */
  isRaw(name: string): boolean {
    return this.#raw.has(name)
  }

  /** Arguments of an IMAP command with mailbox names in the server's encoding. */
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
