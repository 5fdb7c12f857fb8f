import type { Tx } from '@posthorn/db'
import { abortableItems } from '@posthorn/flow'
import type { ExportDriver, ExportReading } from '../drivers/export-driver.ts'
import { findPart } from '../store/export-index.ts'
import { type ExportRow, type FilePosition, saveProgress } from '../store/running-exports.ts'
import { OpenChunk } from './chunk-writer.ts'
import { type ExportContext, finishExport, inExport } from './export-context.ts'
import type { ExportFile } from './export-file.ts'
import type { Turn } from './export-turns.ts'
import { fromDriver, MailFailure } from './failures/mail-failure.ts'
import { type MergedEntry, positionAfter, RunMerge } from './merge-runs.ts'
import { ContentError, type ExportedMessage, isStreamed, messageLine } from './message-line.ts'
import { estimateEnd, type ExportPosition } from './position.ts'

/**
 * Maximum messages that an export requests from the account driver in one turn: about one second of
 * work.
 */
const maxBatch = 2_000
/**
 * Maximum time in milliseconds for which an export writes messages before other exports have their
 * turns.
 */
const turnMs = 10_000

/** Limits of an export. An export that reaches a limit ends as truncated. */
export interface ExportBounds {
  maxMessages: number
  maxBytes: number
  /** True if the files of all exports have reached the storage limit. */
  isStorageFull: () => Promise<boolean>
}

export interface ExporterOptions {
  context: ExportContext
  row: ExportRow
  position: ExportPosition
  file: ExportFile
}

interface TurnOptions {
  driver: ExportDriver
  bounds: ExportBounds
  signal: AbortSignal
  /** Called before each message is exported. Waits while syncs or other work have priority. */
  pause: Turn['pause']
  /** Maximum number of messages to export in this turn (limited work period) of the export. */
  limit?: number
  /**
   * Id of the message that is skipped if the next attempt to read it fails, too. In this attempt,
   * contents of the message that the mail system refuses are left out.
   */
  onLastAttempt?: string | undefined
}

interface AddOptions {
  /**
   * True to write error texts to the export file instead of attachments that the mail system
   * refuses.
   */
  acceptsPartial: boolean
  signal: AbortSignal
}

/**
 * Exports messages in the order of their dates. Collects the lines of messages in a chunk of the
 * export file. A chunk is stored together with the position after its last message. A message with
 * large attachments has separate chunks, which count only when the message is complete.
 */
export class MessageExporter {
  readonly #context: ExportContext
  readonly #row: ExportRow
  readonly #file: ExportFile
  /** Position of the export after the last stored message. */
  #position: ExportPosition
  #merge: RunMerge | undefined
  /** Messages that were taken from the sorted message list but are not exported yet. */
  #pending: MergedEntry[] = []
  #chunk: OpenChunk | undefined

  constructor({ context, row, position, file }: ExporterOptions) {
    this.#context = context
    this.#row = row
    this.#file = file
    this.#position = position
  }

  /** Id of the next message to export. Undefined if no message was taken from the message list. */
  get nextId(): string | undefined {
    return this.#pending[0]?.id
  }

  /**
   * Exports messages for a limited time. Returns true once the export has ended.
   *
   * @throws MailFailure if a message cannot be read; the messages before it are stored
   */
  async turn(options: TurnOptions): Promise<boolean> {
    const { bounds, limit = maxBatch } = options
    const left = bounds.maxMessages - this.#row.messagesExported
    const entries = await this.#take(Math.max(1, Math.min(limit, left)))
    if (entries.length === 0) return this.#finish(false)
    if (left <= 0 || (await this.#isFull(bounds))) return this.#finish(true)
    try {
      await this.#export(entries, options)
      await this.#store()
    } catch (error) {
      if (error instanceof MailFailure) await this.#store()
      throw error
    } finally {
      this.#dropChunk()
    }
    return false
  }

  /**
   * Exports some messages. Stops early when the turn of the export is over or the export file is
   * full.
   */
  async #export(entries: readonly MergedEntry[], options: TurnOptions): Promise<void> {
    const { driver, bounds, signal, pause, onLastAttempt } = options
    const endAt = Date.now() + turnMs
    const ids = entries.map(({ id }) => id)
    const acceptsPartial = ids[0] === onLastAttempt
    const wanted = { ...readOptions(this.#row), acceptsPartial }
    for await (const reading of fromDriver(driver.read(ids, wanted, signal), signal)) {
      await pause()
      signal.throwIfAborted()
      await this.#add(reading, { acceptsPartial, signal })
      // A message with separate chunks of the export file leaves no chunk in progress.
      if (this.#chunk && !this.#chunk.isDue) continue
      await this.#store()
      if (Date.now() >= endAt || (await this.#isFull(bounds))) return
    }
  }

  /** Skips the next message of the export, because the message cannot be read. */
  async skip(): Promise<void> {
    this.#chunkOrNew().skip()
    this.#pass()
    await this.#store()
  }

  async #take(limit: number): Promise<MergedEntry[]> {
    const { exportId, deps } = this.#context
    const { runs, merge } = this.#position
    const load = (run: number, part: number) => findPart(deps.commit.db, { exportId, run, part })
    this.#merge ??= await RunMerge.open(runs, merge, load)
    if (this.#pending.length < limit)
      this.#pending.push(...(await this.#merge.take(limit - this.#pending.length)))
    return this.#pending.slice(0, limit)
  }

  async #isFull({ maxBytes, isStorageFull }: ExportBounds): Promise<boolean> {
    return this.#file.end.bytes >= maxBytes || (await isStorageFull())
  }

  async #add(reading: ExportReading, options: AddOptions): Promise<void> {
    if (reading.state === 'unreadable') throw new MailFailure(reading.error)
    if (reading.state === 'missing') {
      this.#chunkOrNew().skip()
      this.#pass()
    } else if (isStreamed(reading)) await this.#addStreamed(reading, options)
    else {
      await this.#chunkOrNew().add(reading)
      this.#pass()
    }
  }

  /**
   * Moves the position of the export's chunk in progress past the message that was just handled.
   */
  #pass(): void {
    const entry = this.#pending.shift()
    if (!entry || !this.#chunk) return
    this.#chunk.merge = positionAfter(this.#chunk.merge, entry)
  }

  /**
   * Exports a message whose attachments are read while the message is written. If an attachment
   * turns out to be too large, or is refused at the last attempt, the message is written again from
   * its start, with an error instead of the attachment.
   */
  async #addStreamed(exported: ExportedMessage, options: AddOptions): Promise<void> {
    await this.#store()
    const before = this.#file.end
    try {
      for await (const piece of abortableItems(messageLine(exported), options.signal)) {
        await this.#chunkOrNew().write(piece)
        if (this.#chunk?.isFull) await this.#storePartial()
      }
    } catch (error) {
      this.#dropChunk()
      await this.#file.rewind(before)
      if (!(error instanceof ContentError)) throw error
      const { at, message, cause } = error
      if (cause !== undefined && !options.acceptsPartial) throw new MailFailure(cause)
      const contents = exported.contents.with(at, { error: message })
      return this.#addStreamed({ ...exported, contents }, options)
    }
    this.#chunkOrNew().count()
    this.#pass()
    await this.#store()
  }

  #chunkOrNew(): OpenChunk {
    this.#chunk ??= new OpenChunk(this.#position.merge)
    return this.#chunk
  }

  #dropChunk(): void {
    this.#chunk?.[Symbol.dispose]()
    this.#chunk = undefined
  }

  /**
   * Stores a chunk that ends in the middle of a message. The stored position of the export stays
   * before the message.
   */
  async #storePartial(): Promise<void> {
    const chunk = this.#chunkOrNew()
    this.#chunk = undefined
    await this.#file.append({ bytes: await chunk.end() }, async () => undefined)
  }

  /**
   * Stores the chunk in progress together with the export's position after the last message of the
   * chunk.
   */
  async #store(): Promise<void> {
    const chunk = this.#chunk
    if (!chunk) return
    this.#chunk = undefined
    if (!chunk.hasBytes) {
      chunk[Symbol.dispose]()
      // A chunk without bytes has nothing to append to the export file. For example, the last piece
      // of a large message may have filled the previous chunk.
      const update = this.#update(chunk, this.#file.end)
      await inExport(this.#context, (tx) => this.#save(tx, update))
      this.#apply(update)
      return
    }
    let update: ChunkUpdate | undefined
    await this.#file.append({ bytes: await chunk.end() }, async (tx, end) => {
      update = this.#update(chunk, end)
      await this.#save(tx, update)
    })
    if (update) this.#apply(update)
  }

  /** Stores the last chunk of the export file and ends the export. */
  async #finish(truncated: boolean): Promise<true> {
    const chunk = this.#chunkOrNew()
    this.#chunk = undefined
    const lacksFolder = this.#position.lacksFolder === true
    const end = { status: 'completed', truncated: truncated || lacksFolder } as const
    await this.#file.append(
      { bytes: await chunk.end(), isLast: true },
      (tx, after) => this.#save(tx, this.#update(chunk, after)),
      (work) => finishExport(this.#context, end, work),
    )
    return true
  }

  #update(chunk: OpenChunk, file: FilePosition) {
    const { messagesExported, messagesSkipped, messagesQueued: queued } = this.#row
    const since = this.#position.exportingSince ?? chunk.startedAt
    const position = { ...this.#position, merge: chunk.merge, file, exportingSince: since }
    const counts = {
      messagesExported: messagesExported + chunk.messages,
      messagesSkipped: messagesSkipped + chunk.skipped,
    }
    const done = counts.messagesExported + counts.messagesSkipped
    return { position, ...counts, estimatedEnd: estimateEnd({ done, queued, since }, Date.now()) }
  }

  #save(tx: Tx, update: ChunkUpdate): Promise<void> {
    const { exportId, deps } = this.#context
    return saveProgress(tx, exportId, { ...update, maxAgeMs: deps.config.exports.maxAgeMs })
  }

  #apply({ position, messagesExported, messagesSkipped }: ChunkUpdate): void {
    this.#position = position
    const exported = messagesExported - this.#row.messagesExported
    const skipped = messagesSkipped - this.#row.messagesSkipped
    this.#context.deps.metrics.messages({ exported, skipped })
    Object.assign(this.#row, { messagesExported, messagesSkipped })
  }
}

type ChunkUpdate = {
  position: ExportPosition
  messagesExported: number
  messagesSkipped: number
  estimatedEnd: Date | null
}

function readOptions({ textType, maxBytes, includeAttachments }: ExportRow) {
  return { textType, maxBytes: Number(maxBytes) || undefined, includeAttachments }
}
