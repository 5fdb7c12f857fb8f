import {
  type ApiFlags,
  type ApiFolder,
  MailApiError,
  type MessageState,
} from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import { ModelContent } from './content.ts'
import { SeededRandom } from './random.ts'

export type Placement = 'labels' | 'folder'

/** Message of a model mailbox. `order` rises with each arrival. */
export interface ModelMessage {
  id: string
  threadId: string
  order: number
  receivedAt: Date
  content: ModelContent
  flags: ApiFlags
  /**
   * Folder of the model mailbox's message. Absent in mailboxes with labels (placement `labels`).
   */
  folderId?: string
  labels: Set<string>
  /** Number of the next reads of the mailbox that do not find the message yet. */
  hiddenReads: number
}

/** Record in the history of a feed (change list). */
export interface HistoryRecord {
  seq: number
  kind: 'added' | 'removed' | 'changed'
  id: string
  addedLabels?: string[]
  removedLabels?: string[]
  flags?: Partial<ApiFlags>
}

/**
 * History of one feed (change list). Sequence numbers of records have gaps and are unique within
 * the mailbox.
 */
export interface FeedHistory {
  records: HistoryRecord[]
  /**
   * Oldest valid position in the history of a feed (change list). Cursors at an earlier position
   * have expired.
   */
  oldest: number
  /** Number of the latest cursor of the feed (change list). */
  generation: number
}

/** New state of a model mailbox's message. Members that are absent stay unchanged. */
export interface ModelChange extends Partial<ApiFlags> {
  folderId?: string
  addLabels?: readonly string[]
  removeLabels?: readonly string[]
}

export interface NewMessage extends Partial<ApiFlags> {
  id?: string
  threadId?: string
  folderId: string
  labels?: readonly string[]
  receivedAt?: Date
  hiddenReads?: number
}

/** Id of the only feed (change list) of a mailbox with labels (placement `labels`). */
export const mailboxFeed = 'mailbox'

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Messages, folders and history of a model mailbox. Every change adds records to the history. */
export class ModelStore {
  readonly placement: Placement
  readonly random: SeededRandom
  readonly messages = new Map<string, ModelMessage>()
  readonly folders = new Map<string, ApiFolder>()
  readonly histories = new Map<string, FeedHistory>()
  readonly #historyLimit: number
  readonly #now: () => Date
  #seq = 1_000
  #order = 0

  constructor(options: {
    placement: Placement
    random: SeededRandom
    historyLimit: number
    now: () => Date
  }) {
    this.placement = options.placement
    this.random = options.random
    this.#historyLimit = options.historyLimit
    this.#now = options.now
    if (this.placement === 'labels') this.#openHistory(mailboxFeed)
  }

  /** Sequence number of the latest record in the model mailbox's history. */
  get seq(): number {
    return this.#seq
  }

  get now(): Date {
    return this.#now()
  }

  history(feedId: string): FeedHistory {
    const history = this.histories.get(feedId)
    if (!history) throw new MailApiError('folder-missing', 'The folder does not exist.')
    return history
  }

  /** Expires all cursors of the mailbox's feeds (change lists). */
  expireHistory(): void {
    this.#seq += 10
    for (const history of this.histories.values()) {
      history.records.length = 0
      history.oldest = this.#seq
    }
  }

  newId(): string {
    return this.placement === 'labels'
      ? this.random.text(16, '0123456789abcdef').replace(/^0/, '1')
      : `AAkA${this.random.text(147, base64url)}=`
  }

  addFolder(folder: ApiFolder): ApiFolder {
    this.folders.set(folder.id, folder)
    if (this.placement === 'folder') this.#openHistory(folder.id)
    return folder
  }

  getFolder(id: string): ApiFolder {
    const folder = this.folders.get(id)
    if (!folder) throw new MailApiError('folder-missing', 'The folder does not exist.')
    return folder
  }

  findFolder(specialUse: string): ApiFolder | undefined {
    return [...this.folders.values()].find((folder) => folder.specialUse === specialUse)
  }

  isIn(message: ModelMessage, folderId: string): boolean {
    return this.placement === 'labels'
      ? message.labels.has(folderId)
      : message.folderId === folderId
  }

  /** Messages of a folder or of the whole model mailbox, newest first. */
  list(folderId?: string): ModelMessage[] {
    return [...this.messages.values()]
      .filter((message) => folderId === undefined || this.isIn(message, folderId))
      .sort((one, other) => other.order - one.order)
  }

  insert(raw: Uint8Array, placed: NewMessage): ModelMessage {
    this.getFolder(placed.folderId)
    const id = placed.id ?? this.newId()
    const { placement } = this
    const message: ModelMessage = defined({
      id,
      threadId: placed.threadId ?? id,
      order: ++this.#order,
      receivedAt: placed.receivedAt ?? this.now,
      content: new ModelContent(raw),
      flags: { unseen: false, flagged: false, draft: false, ...flagsOf(placed) },
      folderId: placement === 'folder' ? placed.folderId : undefined,
      labels: new Set([
        ...(placement === 'labels' ? [placed.folderId] : []),
        ...(placed.labels ?? []),
      ]),
      hiddenReads: placed.hiddenReads ?? 0,
    })
    this.messages.set(id, message)
    this.#record(feedOf(message), this.#addition(message))
    return message
  }

  change(message: ModelMessage, change: ModelChange): void {
    const { folderId } = change
    const addedLabels = (change.addLabels ?? []).filter((label) => !message.labels.has(label))
    const removedLabels = (change.removeLabels ?? []).filter((label) => message.labels.has(label))
    const flags = Object.fromEntries(
      Object.entries(flagsOf(change)).filter(
        ([name, value]) => message.flags[name as keyof ApiFlags] !== value,
      ),
    )
    for (const label of addedLabels) message.labels.add(label)
    for (const label of removedLabels) message.labels.delete(label)
    Object.assign(message.flags, flags)
    if (this.placement === 'folder' && folderId !== undefined && folderId !== message.folderId) {
      this.#record(feedOf(message), { kind: 'removed', id: message.id })
      message.folderId = folderId
      this.#record(feedOf(message), this.#addition(message))
    } else if (addedLabels.length + removedLabels.length + Object.keys(flags).length > 0)
      this.#record(feedOf(message), {
        kind: 'changed',
        id: message.id,
        addedLabels,
        removedLabels,
        flags,
      })
  }

  remove(message: ModelMessage): void {
    this.messages.delete(message.id)
    this.#record(feedOf(message), { kind: 'removed', id: message.id })
  }

  removeFolder(id: string): void {
    for (const message of this.list(id))
      if (this.placement === 'labels') this.change(message, { removeLabels: [id] })
      else this.messages.delete(message.id)
    this.folders.delete(id)
    this.histories.delete(id)
  }

  #addition({ id, labels, flags }: ModelMessage): Omit<HistoryRecord, 'seq'> {
    return { kind: 'added', id, addedLabels: [...labels], removedLabels: [], flags: { ...flags } }
  }

  #openHistory(id: string): void {
    this.histories.set(id, { records: [], oldest: this.#seq, generation: 0 })
  }

  #record(feedId: string, record: Omit<HistoryRecord, 'seq'>): void {
    this.#seq += 1 + this.random.below(5)
    const history = this.history(feedId)
    history.records.push({ seq: this.#seq, ...record })
    // The history of a change list is trimmed in larger steps, which keeps the cost per record
    // constant.
    const surplus = history.records.length - this.#historyLimit
    if (surplus <= Math.min(this.#historyLimit, 1_000)) return
    const dropped = history.records.splice(0, surplus)
    history.oldest = dropped.at(-1)?.seq ?? history.oldest
  }
}

export function stateOf({ id, threadId, folderId, labels, flags }: ModelMessage): MessageState {
  return defined({ id, threadId, folderId, labels: [...labels], ...flags })
}

export function flagsOf({ unseen, flagged, draft }: Partial<ApiFlags>): Partial<ApiFlags> {
  return defined({ unseen, flagged, draft })
}

function feedOf({ folderId }: ModelMessage): string {
  return folderId ?? mailboxFeed
}
