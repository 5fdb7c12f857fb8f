import {
  expectedSections,
  type FetchedMessage,
  type MailSession,
  type Section,
} from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import { AppError } from '@posthorn/errors'
import type { Permit, Semaphore } from '@posthorn/flow'
import {
  findMailboxByNumber,
  findMailboxesByNumber,
  type MailboxRow,
} from '../../../store/mailboxes.ts'
import type { ExportContent, ExportReading, ExportReadOptions } from '../../export-driver.ts'
import type { AccountCommand } from '../commands/account.ts'
import { describeMessage, fetchMessage } from '../commands/get-message.ts'
import { indexingError, readInMailbox, requestList } from '../commands/mailbox.ts'
import type { ReadDeps } from '../commands/read-caches.ts'
import { batchesOf, rangesOf, uidsIn } from '../index/ranges.ts'
import { addCategories } from '../messages/gmail.ts'
import { type Outline, parseOutline } from '../messages/outline.ts'
import { readContents, smallAttachments } from './attachment-contents.ts'
import { entryPositionOf } from './entry-id.ts'
import { batchParts } from './part-batch.ts'

/** Maximum bytes of an export batch's messages (headers and contents) that are held in memory. */
export const maxHeldBytes = 6 * 1024 * 1024
/**
 * Maximum bytes of messages that exports read late (one by one, for lack of memory), in a worker. A
 * message with two texts of 16 MiB each fits.
 */
export const maxLateBytes = 32 * 1024 * 1024
/** Maximum messages per FETCH of headers and MIME sections for an export: up to 320 KiB each. */
export const messagesPerFetch = 48
/** Failed attempts to select a mailbox after which an export treats its messages as missing. */
const maxRefusals = 8

export interface ExportReadDeps extends ReadDeps {
  /** Limits the bytes of messages that exports read late, for all accounts of the worker. */
  exportMemory: Semaphore
}

export interface BatchOptions {
  deps: ExportReadDeps
  target: AccountCommand
  mail: MailSession
  options: ExportReadOptions
  /** Number of failed attempts to select a mailbox of the account, by mailbox number. */
  refusals: Map<number, number>
  /** MIME sections that the next exported messages probably have. Replaced after each mailbox. */
  expected: { sections: readonly Section[] }
}

interface BatchItem {
  row: MailboxRow
  uid: number
}

interface FetchedItem extends BatchItem {
  message: FetchedMessage
  outline: Outline
}

interface ReadItem {
  detail: MessageDetail
  contents: ExportContent[]
}

/**
 * Reads a batch of messages for an export, mailbox by mailbox. One FETCH reads the parts of all
 * messages of the same form. Messages for which there is no memory are read late, one by one.
 */
export class ExportBatch {
  readonly #options: BatchOptions
  readonly #ids: readonly string[]
  /** Reads of exported messages by id. A failed read is handled when its message is exported. */
  readonly #reads = new Map<string, Promise<ReadItem>>()
  /** Messages that are read just before their export, because the batch had no memory for them. */
  readonly #late = new Map<string, BatchItem>()
  /** Bytes of the export batch's headers and contents in memory. */
  #heldBytes = 0
  #seenBytes = 0
  #seenMessages = 0
  #isStreamed = false

  constructor(options: BatchOptions, ids: readonly string[]) {
    this.#options = options
    this.#ids = ids
  }

  /** Mean bytes of headers and contents per exported message, including messages read late. */
  get bytesPerMessage(): number {
    return this.#seenBytes / Math.max(1, this.#seenMessages)
  }

  /** True if no message of the export batch needs the IMAP connection any more. */
  get isComplete(): boolean {
    return this.#late.size === 0 && !this.#isStreamed
  }

  /** Fetches the messages of the export batch that fit into memory. */
  async fetch(): Promise<void> {
    const { deps, target } = this.#options
    const byMailbox = Map.groupBy(this.#ids, (id) => entryPositionOf(id).mailbox)
    const rows = await findMailboxesByNumber(deps.db, target.account, [...byMailbox.keys()])
    for (const row of rows) {
      target.signal.throwIfAborted()
      await this.#fetchMailbox(row, byMailbox.get(row.number) ?? [])
    }
  }

  /** Yields the messages that `fetch` has read for the export, in the order of their ids. */
  async *read(): AsyncGenerator<ExportReading> {
    for (const id of this.#ids) {
      using memory = new DisposableStack()
      yield await this.#readingOf(id, memory)
    }
  }

  async #fetchMailbox(row: MailboxRow, ids: readonly string[]): Promise<void> {
    const { mail, expected } = this.#options
    const idOf = new Map(ids.map((id) => [entryPositionOf(id).uid, id]))
    const parts = batchParts(mail)
    const reads: Promise<ReadItem>[] = []
    const { sections } = expected
    expected.sections = [] // an export's failed fetch is repeated without MIME sections
    const messages = await this.#inMailbox(row, () =>
      this.#fetchHeaders(row, idOf, sections),
    ).catch((error: unknown) => this.#handleMissing(row, error))
    for (const message of messages) {
      const { uid } = message
      const id = idOf.get(uid) ?? ''
      const item = { row, uid, message, outline: parseOutline(message.bodyStructure) }
      if (this.#hold(item)) {
        const read = this.#readItem(item, parts.of(message))
        this.#reads.set(id, read)
        reads.push(read)
      } else this.#late.set(id, { row, uid })
    }
    const settled = await Promise.allSettled(reads)
    expected.sections = parts.requests.length > 0 ? expectedSections(parts.requests) : sections
    const read = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    this.#isStreamed ||= read.some(({ contents }) => contents.some((each) => 'open' in each))
    await this.#addStored(read)
  }

  /** Fetches exported messages with headers. Messages that do not fit into memory are read late. */
  async #fetchHeaders(
    row: MailboxRow,
    idOf: ReadonlyMap<number, string>,
    sections: readonly Section[],
  ): Promise<FetchedMessage[]> {
    const { mail } = this.#options
    const messages: FetchedMessage[] = []
    for (const uids of batchesOf(rangesOf([...idOf.keys()]), messagesPerFetch)) {
      if (this.#heldBytes >= maxHeldBytes)
        for (const uid of uidsIn(uids)) this.#late.set(idOf.get(uid) ?? '', { row, uid })
      else
        for await (const message of mail.fetchMessages(uids, { headers: true, sections })) {
          const bytes = (message.headers?.length ?? 0) + bytesOfSections(message)
          this.#heldBytes += bytes
          this.#seenBytes += bytes
          this.#seenMessages++
          messages.push(message)
        }
    }
    return messages
  }

  /**
   * Handles a mailbox that cannot be selected, or whose UIDVALIDITY is not the stored value. The
   * messages of the mailbox are missing once a sync has confirmed the change.
   *
   * @throws AppError `unavailable` before the confirmation, so that the read is repeated
   */
  async #handleMissing({ number }: MailboxRow, error: unknown): Promise<[]> {
    if (!(error instanceof AppError) || error.kind !== 'not-found') throw error
    const { deps, target, refusals } = this.#options
    const row = await findMailboxByNumber(deps.db, target.account, number)
    const count = (refusals.get(number) ?? 0) + 1
    refusals.set(number, count)
    if (!row?.listed || count > maxRefusals) return []
    requestList(target.session)
    throw indexingError(target.session.state ?? 'init')
  }

  /** Adds Gmail categories and stored bounces to messages of the selected mailbox. */
  async #addStored(items: readonly ReadItem[]): Promise<void> {
    const { deps, target, mail } = this.#options
    const details = items.map(({ detail }) => detail)
    await addCategories(mail, details, await deps.settings.get())
    const withBounces = await deps.bounces.addTo(deps.db, target, details)
    for (const [at, item] of items.entries()) item.detail = withBounces[at] ?? item.detail
  }

  /** Reserves memory for the contents of an exported message. False if the batch lacks memory. */
  #hold({ message, outline }: FetchedItem): boolean {
    const bytes = Math.max(0, this.#bytesOf(outline) - bytesOfSections(message))
    this.#seenBytes += bytes
    if (this.#heldBytes + bytes > maxHeldBytes) return false
    this.#heldBytes += bytes
    return true
  }

  /** Bytes of a message's texts and small attachments, which are read before its export. */
  #bytesOf({ plain, html, attachments }: Outline): number {
    const { maxBytes = Infinity, includeAttachments } = this.#options.options
    const texts = [...plain, ...html].reduce((sum, { size }) => sum + Math.min(size, maxBytes), 0)
    const small = includeAttachments ? smallAttachments(attachments) : []
    return small.reduce((sum, { size }) => sum + size, texts)
  }

  async #readingOf(id: string, memory: DisposableStack): Promise<ExportReading> {
    const late = this.#late.get(id)
    const read = late ? this.#readLate(late, memory) : this.#reads.get(id)
    if (!read) return { state: 'missing' }
    this.#reads.delete(id)
    try {
      const { detail, contents } = await read
      return { state: 'read', message: detail, contents }
    } catch (error) {
      if (!isOfMessage(error)) throw error
      if (error.kind !== 'not-found') return { state: 'unreadable', error }
      // An exported message may seem missing because its mailbox was renamed after the fetch.
      if (late)
        await this.#inMailbox(late.row, async () => undefined).catch((missing: unknown) =>
          this.#handleMissing(late.row, missing),
        )
      return { state: 'missing' }
    }
  }

  /**
   * Reads a message that did not fit into its export batch. Waits for memory, which the disposal of
   * `memory` releases.
   */
  async #readLate({ row, uid }: BatchItem, memory: DisposableStack): Promise<ReadItem> {
    const { mail, deps, target } = this.#options
    let permit: Permit | undefined
    return this.#inMailbox(row, async () => {
      const message = await fetchMessage(mail, uid, { headers: true })
      const outline = parseOutline(message.bodyStructure)
      const bytes = this.#bytesOf(outline)
      // A repeated read of an exported message has the memory permit of its first attempt.
      permit ??= memory.use(await deps.exportMemory.acquire(target.signal, bytes))
      const read = await this.#readItem({ row, uid, message, outline }, mail)
      await this.#addStored([read])
      return read
    })
  }

  async #readItem(item: FetchedItem, session: Pick<MailSession, 'readParts'>): Promise<ReadItem> {
    const { row, message } = item
    const { deps, target, options } = this.#options
    const { textType, maxBytes, includeAttachments } = options
    const read = deps.reader.forAccount(target.account, target.signal)
    const request = defined({ textType, maxBytes })
    const open = (part: string) => this.#openAttachment(row, { uid: message.uid, part })
    const [detail, contents] = await Promise.all([
      describeMessage({ session, read }, { row, message }, request),
      includeAttachments && !message.incomplete ? readContents(session, item, open) : [],
    ])
    return { detail, contents }
  }

  async #openAttachment(
    row: MailboxRow,
    { uid, part }: { uid: number; part: string },
  ): Promise<AsyncIterable<Uint8Array>> {
    const { mail } = this.#options
    const { content } = await this.#inMailbox(row, () => mail.downloadPart(uid, part))
    return content
  }

  async #inMailbox<T>(row: MailboxRow, read: () => Promise<T>): Promise<T> {
    const { mail, refusals } = this.#options
    const result = await readInMailbox(mail, { row, readOnly: true }, read)
    refusals.delete(row.number)
    return result
  }
}

/** Bytes of the MIME sections (parts) that were fetched together with a message for an export. */
function bytesOfSections({ sections = [] }: FetchedMessage): number {
  return sections.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

/** Kinds of errors that concern one message of an export batch, not the mail server. */
const messageKinds: ReadonlySet<string> = new Set([
  'not-found',
  'rejected',
  'unprocessable',
  'invalid',
])

function isOfMessage(error: unknown): error is AppError {
  return error instanceof AppError && messageKinds.has(error.kind)
}
