import type { MimePart } from '../../imap-script/mime-tree.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { GmailFailure, invalid, notFound } from './failures.ts'
import { countLabels, type LabelCounts } from './label-counts.ts'
import { parseSource } from './payload.ts'

/** Label of a mailbox in the Gmail fake. */
export interface FakeLabel {
  id: string
  name: string
  type: 'system' | 'user'
  labelListVisibility?: string
  messageListVisibility?: string
}

export interface FakeMessage {
  id: string
  threadId: string
  raw: Buffer
  mime: MimePart
  labels: Set<string>
  internalDate: number
  /** Arrival number of the Gmail fake's message, which rises with each message. */
  order: number
  historyId: bigint
  /**
   * Number of the next reads of the Gmail fake that do not find the message yet, as if its
   * notification had arrived before the message.
   */
  hiddenGets: number
}

type RecordKind = 'messagesAdded' | 'messagesDeleted' | 'labelsAdded' | 'labelsRemoved'

/** Record in the history of a Gmail mailbox. */
export interface FakeRecord {
  id: bigint
  message: { id: string; threadId: string; labelIds: string[] }
  kinds: Partial<Record<RecordKind, string[]>>
}

export interface NewMessage {
  id?: string
  threadId?: string
  labels: readonly string[]
  internalDate?: number
}

const systemLabels = [
  'CHAT',
  'SENT',
  'INBOX',
  'IMPORTANT',
  'TRASH',
  'DRAFT',
  'SPAM',
  'CATEGORY_FORUMS',
  'CATEGORY_UPDATES',
  'CATEGORY_PERSONAL',
  'CATEGORY_PROMOTIONS',
  'CATEGORY_SOCIAL',
  'STARRED',
  'UNREAD',
]
const fixedLabels = new Set(['SENT', 'DRAFT', 'CHAT'])
const maxLabels = 10_000

/**
 * Messages, labels, drafts and history of one Gmail mailbox. Every change adds a record to the
 * history.
 */
export class GmailMailbox {
  address: string
  readonly messages = new Map<string, FakeMessage>()
  readonly labels = new Map<string, FakeLabel>()
  /** Map from draft id to message id in the Gmail fake. */
  readonly drafts = new Map<string, string>()
  readonly records: FakeRecord[] = []
  /** Signature of the Gmail mailbox's address in HTML. */
  signature = ''
  /** Callback that is called after each change of the Gmail fake's mailbox. */
  onChange: () => void = () => undefined
  /** Oldest valid start id of the Gmail history. Lower ids have expired. */
  oldest = 0n
  /**
   * Number of Gmail history reads from which the latest records are still hidden, and the id of the
   * first hidden record.
   */
  #hidden = { reads: 0, from: 0n }
  /** List of the Gmail mailbox's current messages. Cached until the next change. */
  #list: readonly FakeMessage[] | undefined
  #counts: ((labelId: string) => LabelCounts) | undefined
  readonly #clock: VirtualClock
  #historyId: bigint
  #nextId: bigint
  #count = 0

  constructor(address: string, clock: VirtualClock, number: number) {
    this.address = address
    this.#clock = clock
    this.#historyId = 1_000n + BigInt(number) * 77n
    this.#nextId = 0x19a0_0000_0000_0000n + (BigInt(number) << 32n)
    for (const id of systemLabels) this.labels.set(id, { id, name: id, type: 'system' })
  }

  /** Id of the latest change in the Gmail fake's history. */
  get historyId(): bigint {
    return this.#historyId
  }

  /** All messages of the Gmail fake's mailbox, newest first. */
  get list(): readonly FakeMessage[] {
    this.#list ??= [...this.messages.values()].sort(
      (one, other) => other.internalDate - one.internalDate || other.order - one.order,
    )
    return this.#list
  }

  /** Counts of the messages and threads with a label in the Gmail fake. */
  countsOf(labelId: string): LabelCounts {
    this.#counts ??= countLabels(this.messages.values())
    return this.#counts(labelId)
  }

  /**
   * Stores a message that arrives in the Gmail mailbox. By default, the message is unread and in
   * the inbox.
   */
  deliver(raw: string | Uint8Array, placed: Partial<NewMessage> = {}): FakeMessage {
    return this.insert(Buffer.from(raw), { labels: ['INBOX', 'UNREAD'], ...placed })
  }

  insert(raw: Uint8Array, { id, threadId, labels, internalDate }: NewMessage): FakeMessage {
    const own = id ?? this.#newId()
    const message: FakeMessage = {
      id: own,
      threadId: threadId ?? own,
      raw: Buffer.from(raw),
      mime: parseSource(raw),
      labels: new Set(labels),
      internalDate: internalDate ?? this.#clock.now,
      order: ++this.#count,
      historyId: 0n,
      hiddenGets: 0,
    }
    this.messages.set(own, message)
    this.#record(message, { messagesAdded: [] })
    return message
  }

  /** Changes labels of a message in the Gmail fake. Fixed and unknown labels are refused. */
  modify(message: FakeMessage, add: readonly string[], remove: readonly string[]): void {
    for (const id of [...add, ...remove]) this.assertAssignable(id)
    this.changeLabels(message, add, remove)
  }

  changeLabels(message: FakeMessage, add: readonly string[], remove: readonly string[]): void {
    const added = add.filter((id) => !message.labels.has(id))
    const removed = remove.filter((id) => message.labels.has(id))
    for (const id of added) message.labels.add(id)
    for (const id of removed) message.labels.delete(id)
    if (added.length + removed.length === 0) return
    this.#record(message, {
      ...(added.length > 0 && { labelsAdded: added }),
      ...(removed.length > 0 && { labelsRemoved: removed }),
    })
  }

  /** Deletes a message of the Gmail fake permanently. */
  remove(message: FakeMessage): void {
    this.messages.delete(message.id)
    this.#record(message, { messagesDeleted: [] })
  }

  assertAssignable(id: string): void {
    if (!this.labels.has(id) || fixedLabels.has(id)) throw invalid(`Invalid label: ${id}`)
  }

  getMessage(id: string): FakeMessage {
    // Gmail can read message ids that are numbers up to 2^63 - 1.
    if (!/^[\da-f]{1,16}$/i.test(id) || BigInt(`0x${id}`) > 0x7fff_ffff_ffff_ffffn)
      throw invalid('Invalid id value')
    const message = this.messages.get(id)
    if (!message) throw notFound()
    return message
  }

  /**
   * Adds or renames a label of the Gmail fake.
   * @throws GmailFailure 409 if another label has the name, in any case
   */
  setLabel(label: FakeLabel): FakeLabel {
    const name = label.name.toLowerCase()
    const same = [...this.labels.values()].find((each) => each.name.toLowerCase() === name)
    if (label.name === '' || same?.type === 'system') throw invalid('Invalid label name')
    if (same && same.id !== label.id)
      throw new GmailFailure(409, 'aborted', 'Label name exists or conflicts')
    if (!this.labels.has(label.id) && this.labels.size >= maxLabels)
      throw invalid('Too many labels')
    this.labels.set(label.id, label)
    return label
  }

  newLabelId(): string {
    return `Label_${7_000_000_000_000_000n + BigInt(++this.#count) * 7_919n}`
  }

  deleteLabel(id: string): void {
    for (const message of this.messages.values()) this.changeLabels(message, [], [id])
    this.labels.delete(id)
  }

  /** Expires all start ids of the history, as Gmail does after a week. */
  expireHistory(): void {
    this.#historyId += 10n
    this.oldest = this.#historyId
    this.records.length = 0
  }

  /**
   * Hides the latest change and all later changes from the next `reads` reads of the Gmail history.
   */
  hideLatest(reads: number): void {
    const from = this.#hidden.reads > 0 ? this.#hidden.from : this.records.at(-1)?.id
    if (from !== undefined) this.#hidden = { reads, from }
  }

  /** Reads the records of the Gmail history and the id of its end. */
  readHistory(): { records: readonly FakeRecord[]; historyId: bigint } {
    if (this.#hidden.reads === 0) return { records: this.records, historyId: this.#historyId }
    this.#hidden.reads--
    const records = this.records.filter(({ id }) => id < this.#hidden.from)
    return { records, historyId: records.at(-1)?.id ?? this.oldest }
  }

  saveDraft(raw: Uint8Array, options: { draftId?: string; threadId?: string } = {}): string {
    const { draftId = `r-${9_000_000_000_000n + BigInt(++this.#count)}`, threadId } = options
    const before = this.messages.get(this.drafts.get(draftId) ?? '')
    // Each save of a Gmail draft creates a new message, which replaces the previous message.
    if (before) this.remove(before)
    const thread = threadId ?? before?.threadId
    const message = this.insert(raw, {
      labels: ['DRAFT'],
      ...(thread !== undefined && { threadId: thread }),
    })
    this.drafts.set(draftId, message.id)
    return draftId
  }

  #newId(): string {
    // Message ids of the Gmail mailbox rise in irregular steps.
    this.#nextId += 1n + ((this.#nextId * 7n) % 13n)
    return this.#nextId.toString(16)
  }

  #record(message: FakeMessage, kinds: FakeRecord['kinds']): void {
    this.#historyId += 1n + ((this.#historyId * 3n) % 5n)
    message.historyId = this.#historyId
    this.#list = undefined
    this.#counts = undefined
    const { id, threadId, labels } = message
    this.records.push({
      id: this.#historyId,
      message: { id, threadId, labelIds: [...labels] },
      kinds,
    })
    this.onChange()
  }
}
