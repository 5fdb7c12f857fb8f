import type { FetchedMessage, MailSession } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import { AppError } from '@posthorn/errors'
import { findMailboxByNumber, type MailboxRow } from '../../../store/mailboxes.ts'
import type { ExportContent, ExportReading, ExportReadOptions } from '../../export-driver.ts'
import type { AccountCommand } from '../commands/account.ts'
import { describeMessage } from '../commands/get-message.ts'
import { indexingError, readInMailbox } from '../commands/mailbox.ts'
import type { ReadDeps } from '../commands/read-caches.ts'
import { rangesOf } from '../index/ranges.ts'
import { addCategories } from '../messages/gmail.ts'
import { type AttachedPart, type Outline, parseOutline } from '../messages/outline.ts'
import { entryPositionOf } from './entry-id.ts'
import { type PartBatch, batchParts } from './part-batch.ts'

/** Maximum bytes of the contents of a batch that are in memory before their turn. */
const maxHeldBytes = 8 * 1024 * 1024
/** Maximum encoded size of an attachment that is read together with others. */
const maxSmallBytes = 128 * 1024
/** Failed attempts to select a mailbox after which its messages are missing. */
const maxRefusals = 8
/** Encoded size above which an attachment is certainly larger than 50 MiB. */
const maxEncodedBytes = Math.ceil(50 * 1024 * 1024 * 1.4)

export interface BatchOptions {
  deps: ReadDeps
  target: AccountCommand
  mail: MailSession
  options: ExportReadOptions
  /** Number of failed attempts to select a mailbox of the account, by mailbox number. */
  refusals: Map<number, number>
}

/** Message of a batch that was fetched, and its contents if they were read. */
interface FetchedItem {
  row: MailboxRow
  message: FetchedMessage
  outline: Outline
  read?: Promise<ReadItem>
}

interface ReadItem {
  detail: MessageDetail
  contents: ExportContent[]
}

/**
 * Reads a batch of messages on one connection: mailbox by mailbox, with one FETCH for the parts of
 * all messages of the same form. Contents beyond 8 MiB are read one by one.
 */
export class ExportBatch {
  readonly #options: BatchOptions
  readonly #items = new Map<string, FetchedItem>()
  #heldBytes = 0

  constructor(options: BatchOptions) {
    this.#options = options
  }

  /** Reads messages. The results are in the order of the ids. */
  async *read(ids: readonly string[]): AsyncGenerator<ExportReading> {
    const { deps, target } = this.#options
    const byMailbox = Map.groupBy(ids, (id) => entryPositionOf(id).mailbox)
    for (const [number, members] of byMailbox) {
      target.signal.throwIfAborted()
      const row = await findMailboxByNumber(deps.db, target.account, number)
      if (row) await this.#fetchMailbox(row, members)
    }
    for (const id of ids) yield await this.#readingOf(id)
  }

  async #fetchMailbox(row: MailboxRow, ids: readonly string[]): Promise<void> {
    const { mail } = this.#options
    const idOf = new Map(ids.map((id) => [entryPositionOf(id).uid, id]))
    const messages = await this.#inMailbox(row, () =>
      Array.fromAsync(mail.fetchMessages(rangesOf([...idOf.keys()]), { headers: true })),
    ).catch((error: unknown) => this.#handleMissing(row, error))
    const parts = batchParts(mail)
    const reads: Promise<ReadItem>[] = []
    for (const message of messages) {
      const outline = parseOutline(message.bodyStructure)
      const item: FetchedItem = { row, message, outline }
      this.#items.set(idOf.get(message.uid) ?? '', item)
      if (this.#hold(outline)) reads.push((item.read = this.#readItem(item, parts)))
    }
    // A failure is handled when the message has its turn.
    const settled = await Promise.allSettled(reads)
    const read = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    await this.#addStored(read)
  }

  /**
   * Handles a mailbox that cannot be selected, or whose UIDVALIDITY is not the stored value: its
   * messages are missing once the sync has confirmed the change.
   *
   * @throws AppError `unavailable` before, so that the read is repeated
   */
  async #handleMissing({ number }: MailboxRow, error: unknown): Promise<FetchedMessage[]> {
    if (!(error instanceof AppError) || error.kind !== 'not-found') throw error
    const { deps, target, refusals } = this.#options
    const row = await findMailboxByNumber(deps.db, target.account, number)
    const count = (refusals.get(number) ?? 0) + 1
    refusals.set(number, count)
    if (!row?.listed || count > maxRefusals) return []
    throw indexingError(target.session.state ?? 'init')
  }

  /** Adds categories and bounces to messages of the selected mailbox. */
  async #addStored(items: readonly ReadItem[]): Promise<void> {
    const { deps, target, mail } = this.#options
    const details = items.map(({ detail }) => detail)
    await addCategories(mail, details, await deps.settings.get())
    const withBounces = await deps.bounces.addTo(deps.db, target, details)
    for (const [at, item] of items.entries()) item.detail = withBounces[at] ?? item.detail
  }

  /** Reserves memory for the contents of a message. False if there is not enough. */
  #hold({ plain, html, attachments }: Outline): boolean {
    const { maxBytes = Infinity, includeAttachments } = this.#options.options
    const texts = [...plain, ...html].reduce((sum, { size }) => sum + Math.min(size, maxBytes), 0)
    const small = includeAttachments ? attachments.filter(isSmall) : []
    const bytes = small.reduce((sum, { size }) => sum + size, texts)
    if (this.#heldBytes + bytes > maxHeldBytes) return false
    this.#heldBytes += bytes
    return true
  }

  async #readingOf(id: string): Promise<ExportReading> {
    const item = this.#items.get(id)
    if (!item) return { state: 'missing' }
    this.#items.delete(id)
    try {
      const { detail, contents } = await (item.read ?? this.#readLate(item))
      return { state: 'read', message: detail, contents }
    } catch (error) {
      if (!isOfMessage(error)) throw error
      if (error.kind === 'not-found') return { state: 'missing' }
      return { state: 'unreadable', error }
    }
  }

  /** Reads the contents of a message for which there was no memory before its turn. */
  async #readLate(item: FetchedItem): Promise<ReadItem> {
    const { mail } = this.#options
    return this.#inMailbox(item.row, async () => {
      const read = await this.#readItem(item, mail)
      await this.#addStored([read])
      return read
    })
  }

  async #readItem({ row, message, outline }: FetchedItem, session: PartBatch): Promise<ReadItem> {
    const { deps, target, options } = this.#options
    const { textType, maxBytes, includeAttachments } = options
    const read = deps.reader.forAccount(target.account, target.signal)
    const request = defined({ textType, maxBytes })
    const [detail, contents] = await Promise.all([
      describeMessage({ session, read }, { row, message }, request),
      includeAttachments && !message.incomplete
        ? this.#contentsOf({ row, message, outline }, session)
        : [],
    ])
    return { detail, contents }
  }

  async #contentsOf(
    { row, message, outline }: FetchedItem,
    session: PartBatch,
  ): Promise<ExportContent[]> {
    const { uid, bodyStructure } = message
    const small = outline.attachments.filter(isSmall)
    const wanted = small.map(({ part }) => ({ part, maxBytes: maxSmallBytes }))
    const contents =
      wanted.length > 0 ? await session.readParts(uid, bodyStructure, wanted) : new Map()
    return outline.attachments.map((attachment): ExportContent => {
      const bytes = contents.get(attachment.part)
      // A content as long as requested may be longer.
      if (bytes && bytes.length < maxSmallBytes) return { bytes }
      if (attachment.size > maxEncodedBytes)
        return { error: 'The attachment is larger than 50 MiB' }
      return { open: () => this.#openAttachment(row, { uid, part: attachment.part }) }
    })
  }

  async #openAttachment(
    row: MailboxRow,
    { uid, part }: { uid: number; part: string },
  ): Promise<AsyncIterable<Uint8Array>> {
    const { mail } = this.#options
    const { content } = await this.#inMailbox(row, () => mail.downloadPart(uid, part))
    return content
  }

  #inMailbox<T>(row: MailboxRow, read: () => Promise<T>): Promise<T> {
    return readInMailbox(this.#options.mail, { row, readOnly: true }, read)
  }
}

function isSmall({ size }: AttachedPart): boolean {
  return size <= maxSmallBytes
}

/** Kinds of errors that concern one message. */
const messageKinds: ReadonlySet<string> = new Set([
  'not-found',
  'rejected',
  'unprocessable',
  'invalid',
])

function isOfMessage(error: unknown): error is AppError {
  return error instanceof AppError && messageKinds.has(error.kind)
}
