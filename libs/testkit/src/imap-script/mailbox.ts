import { createHash } from 'node:crypto'
import { bodyStructure, envelope } from './describe.ts'
import { field, type MimePart, parseMime } from './mime-tree.ts'

export interface AppendOptions {
  flags?: readonly string[]
  /** Arrival time of a message in the IMAP test server; defaults to the current time. */
  date?: Date
  labels?: readonly string[]
  /** Category (tab) of the message in Gmail's inbox. Only IMAP searches show the category. */
  category?: string
  /**
   * Value of EMAILID (OBJECTID, RFC 8474) of a message. Consists of digits, so that the value is
   * also valid for Gmail. Defaults to a hash of the content, so that copies of a message share the
   * value.
   */
  emailId?: string
  threadId?: string
  /** UID of a message in the IMAP test server; defaults to the next UID. */
  uid?: number
}

export interface ChangedFlags {
  add?: readonly string[]
  remove?: readonly string[]
  set?: readonly string[]
}

/** Message in one mailbox of the IMAP test server. */
export class ScriptMessage {
  uid: number
  /** Source of the message (RFC 5322), one byte per character. */
  readonly rfc822: string
  readonly internalDate: Date
  readonly category: string | undefined
  readonly emailId: string
  readonly threadId: string
  flags: Set<string>
  labels: Set<string>
  modseq = 0n
  /** Number of the last change of the IMAP test server's message, independent of mod-sequences. */
  revision = 0
  /**
   * Number of the last change of the flags of the IMAP test server's message. Changes of labels do
   * not count.
   */
  flagsRevision = 0
  /**
   * Values that FETCH returns for a message instead of the real values, by FETCH item. The value
   * `undefined` removes the item from the reply. A value may have an invalid syntax.
   */
  readonly overrides = new Map<string, string | undefined>()
  #tree: MimePart | undefined
  // Cached ENVELOPE of the message. Computing the ENVELOPE of a hostile message takes seconds.
  #envelope: string | undefined
  #structure: string | undefined

  constructor(rfc822: string, uid: number, placed: AppendOptions) {
    this.rfc822 = rfc822
    this.uid = uid
    this.internalDate = placed.date ?? new Date()
    this.category = placed.category
    this.flags = new Set(placed.flags)
    this.labels = new Set(placed.labels)
    const header = rfc822.slice(0, 100_000)
    this.emailId = placed.emailId ?? digits(rfc822)
    const thread =
      field(header, 'references') ?? field(header, 'in-reply-to') ?? field(header, 'message-id')
    this.threadId = placed.threadId ?? digits((thread ?? rfc822).split(/\s/, 1)[0] ?? '')
  }

  get tree(): MimePart {
    this.#tree ??= parseMime(this.rfc822)
    return this.#tree
  }

  get envelope(): string {
    this.#envelope ??= envelope(this.tree.header)
    return this.#envelope
  }

  get structure(): string {
    this.#structure ??= bodyStructure(this.tree)
    return this.#structure
  }

  copyTo(mailbox: ScriptMailbox): ScriptMessage {
    const { flags, labels, internalDate: date, emailId, threadId } = this
    const placed = { flags: [...flags], labels: [...labels], date, emailId, threadId }
    return mailbox.append(Buffer.from(this.rfc822, 'latin1'), placed)
  }
}

function digits(text: string): string {
  const digest = createHash('sha256').update(text, 'latin1').digest('hex')
  return String(BigInt(`0x1${digest.slice(0, 15)}`))
}

export interface MailboxOptions {
  uidValidity?: number
  /** LIST attributes of the IMAP mailbox, such as `\Sent` or `\Noselect`. */
  attributes?: readonly string[]
  subscribed?: boolean
}

/**
 * Mailbox of the IMAP test server. Sessions that selected the mailbox are notified of changes by a
 * test, like of changes by another client.
 */
export class ScriptMailbox {
  path: string
  /** UIDVALIDITY that the server announces for the mailbox. Any value is allowed. */
  uidValidity: number | string
  uidNext = 1
  highestModseq = 1n
  /** True if SELECT of the IMAP mailbox announces NOMODSEQ instead of a mod-sequence. */
  noModseq = false
  readonly attributes: Set<string>
  subscribed: boolean
  mailboxId: string
  /** Messages of the IMAP test server's mailbox in ascending order of UID. */
  messages: ScriptMessage[] = []
  readonly vanished: { uid: number; modseq: bigint }[] = []
  revision = 0
  readonly #changed: () => void

  constructor(path: string, options: MailboxOptions, changed: () => void) {
    this.path = path
    this.uidValidity = options.uidValidity ?? 1
    this.attributes = new Set(options.attributes)
    this.subscribed = options.subscribed ?? true
    this.mailboxId = `F${digits(`${path} ${this.uidValidity}`)}`
    this.#changed = changed
  }

  append(rfc822: string | Uint8Array, placed: AppendOptions = {}): ScriptMessage {
    const text = Buffer.from(rfc822 as Uint8Array).toString('latin1')
    const message = new ScriptMessage(text, placed.uid ?? this.uidNext, placed)
    this.uidNext = Math.max(this.uidNext, message.uid + 1)
    const inOrder = (this.messages.at(-1)?.uid ?? 0) <= message.uid
    this.messages.push(message)
    if (!inOrder) this.messages.sort((a, b) => a.uid - b.uid)
    this.#touch([message])
    return message
  }

  message(uid: number): ScriptMessage {
    let [low, high] = [0, this.messages.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.messages[middle]?.uid ?? 0) < uid) low = middle + 1
      else high = middle
    }
    const message = this.messages[low]
    if (message?.uid !== uid) throw new Error(`${this.path} has no message ${uid}`)
    return message
  }

  changeFlags(uid: number, change: ChangedFlags): void {
    const message = this.message(uid)
    message.flags = changeFlagSet(message.flags, change)
    this.#touch([message])
    message.flagsRevision = message.revision
  }

  /**
   * Changes the labels of a message in the IMAP test server. The notification to sessions does not
   * contain the labels.
   */
  changeLabels(uid: number, change: ChangedFlags): void {
    const message = this.message(uid)
    message.labels = changeFlagSet(message.labels, change)
    this.#touch([message])
  }

  /** Removes messages from the mailbox. UIDs that do not exist are ignored. */
  expunge(...uids: readonly number[]): void {
    const gone = new Set(uids)
    const kept = this.messages.filter(({ uid }) => !gone.has(uid))
    if (kept.length === this.messages.length) return
    this.highestModseq++
    for (const { uid } of this.messages)
      if (gone.has(uid)) this.vanished.push({ uid, modseq: this.highestModseq })
    this.messages = kept
    this.#touch([])
  }

  /** Removes the messages with the flag `\\Deleted` from the mailbox. */
  expungeDeleted(among: readonly ScriptMessage[] = this.messages): void {
    this.expunge(...among.filter(({ flags }) => flags.has('\\Deleted')).map(({ uid }) => uid))
  }

  /**
   * Simulates a restore of the mailbox from a backup: sets a new UIDVALIDITY, and UIDs start at 1.
   * Sessions that selected the mailbox must be dropped before, because real servers do not change
   * UIDs during a session.
   */
  renumber(uidValidity: number | string): void {
    this.uidValidity = uidValidity
    this.uidNext = 1
    this.vanished.length = 0
    for (const message of this.messages.splice(0)) message.copyTo(this)
    this.#touch([])
  }

  #touch(messages: readonly ScriptMessage[]): void {
    this.revision++
    for (const message of messages) {
      message.modseq = ++this.highestModseq
      message.revision = this.revision
    }
    this.#changed()
  }
}

function changeFlagSet(
  before: ReadonlySet<string>,
  { add, remove, set }: ChangedFlags,
): Set<string> {
  const after = new Set(set ?? before)
  for (const flag of add ?? []) after.add(flag)
  for (const flag of remove ?? []) after.delete(flag)
  return after
}
