import { createHash } from 'node:crypto'
import { field, type MimePart, parseMime } from './mime-tree.ts'

export interface AppendOptions {
  flags?: readonly string[]
  /** Default now. */
  date?: Date
  labels?: readonly string[]
  /** The tab of Gmail's inbox, which searches alone tell. */
  category?: string
  /** Digits, so that they serve Gmail as well; default by content, so that a copy has the same. */
  emailId?: string
  threadId?: string
  /** Default the next. */
  uid?: number
}

export interface ChangedFlags {
  add?: readonly string[]
  remove?: readonly string[]
  set?: readonly string[]
}

/** A message in one mailbox. */
export class ScriptMessage {
  uid: number
  /** Its bytes, one a character. */
  readonly rfc822: string
  readonly internalDate: Date
  readonly category: string | undefined
  readonly emailId: string
  readonly threadId: string
  flags: Set<string>
  labels: Set<string>
  modseq = 0n
  /** Grows with every change, whatever happens to mod-sequences. */
  revision = 0
  /** The revision at which flags changed for the last time, rather than labels. */
  flagsRevision = 0
  /** What FETCH says of an item, such as `BODYSTRUCTURE`, instead of the truth; undefined: leaves it out. May break any rule of syntax. */
  readonly overrides = new Map<string, string | undefined>()
  #tree: MimePart | undefined

  constructor(rfc822: string, uid: number, placed: AppendOptions) {
    this.rfc822 = rfc822
    this.uid = uid
    this.internalDate = placed.date ?? new Date()
    this.category = placed.category
    this.flags = new Set(placed.flags)
    this.labels = new Set(placed.labels)
    const header = rfc822.slice(0, 100_000)
    this.emailId = placed.emailId ?? digits(rfc822)
    this.threadId =
      placed.threadId ??
      digits(
        (
          field(header, 'references') ??
          field(header, 'in-reply-to') ??
          field(header, 'message-id') ??
          rfc822
        ).split(/\s/, 1)[0] ?? '',
      )
  }

  get tree(): MimePart {
    this.#tree ??= parseMime(this.rfc822)
    return this.#tree
  }
}

function digits(text: string): string {
  return BigInt(
    `0x1${createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 15)}`,
  ).toString()
}

export interface MailboxOptions {
  uidValidity?: number
  /** Attributes of LIST, such as `\Sent` or `\Noselect`. */
  attributes?: readonly string[]
  subscribed?: boolean
}

/** A mailbox of the server. What a test changes here, the sessions that have it open are told, as by another client. */
export class ScriptMailbox {
  path: string
  /** As it is announced; anything goes. */
  uidValidity: number | string
  uidNext = 1
  highestModseq = 1n
  /** Announces NOMODSEQ instead of a mod-sequence. */
  noModseq = false
  readonly attributes: Set<string>
  subscribed: boolean
  mailboxId: string
  /** In ascending order of UID. */
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
    const found = this.messages[low]
    if (found?.uid !== uid) throw new Error(`${this.path} has no message ${uid}`)
    return found
  }

  changeFlags(uid: number, change: ChangedFlags): void {
    const message = this.message(uid)
    message.flags = changeFlagSet(message.flags, change)
    this.#touch([message])
    message.flagsRevision = message.revision
  }

  /** Sessions are told that it changed, and not what. */
  changeLabels(uid: number, change: ChangedFlags): void {
    const message = this.message(uid)
    message.labels = changeFlagSet(message.labels, change)
    this.#touch([message])
  }

  /** Removes messages; those that are not there are passed over. */
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

  /**
   * As after a restore from a backup: another UIDVALIDITY, UIDs from 1. Sessions that have it open see their messages go and others come,
   * which no real server does to them: drop them first.
   */
  renumber(uidValidity: number | string): void {
    this.uidValidity = uidValidity
    this.uidNext = 1
    this.vanished.length = 0
    for (const { rfc822, internalDate, flags, ...rest } of this.messages.splice(0))
      this.append(Buffer.from(rfc822, 'latin1'), {
        date: internalDate,
        flags: [...flags],
        labels: [...rest.labels],
        emailId: rest.emailId,
        threadId: rest.threadId,
      })
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
