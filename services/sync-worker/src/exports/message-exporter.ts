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

/** Messages that a driver reads in one turn: about one second. */
const maxBatch = 2_000
/** Maximum time of a turn, after which other exports have their turns. */
const turnMs = 10_000

/** Limits that end an export as truncated. */
export interface ExportBounds {
  maxMessages: number
  maxBytes: number
  /** True if no more may be stored. */
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
  /** Called before each message. Waits while other work has priority. */
  pause: Turn['pause']
  /** Maximum messages of the turn. */
  limit?: number
  /** Message that is skipped if this turn fails, too. Contents that are refused are left out. */
  onLastAttempt?: string | undefined
}

interface AddOptions {
  /** True to replace contents that the mail system refuses by their errors. */
  acceptsPartial: boolean
  signal: AbortSignal
}

/**
 * Exports messages by date. Lines are collected in a chunk; a chunk is stored together with the
 * position after its last message. A message with large contents takes chunks of its own: they
 * count only when the message is complete.
 */
export class MessageExporter {
  readonly #context: ExportContext
  readonly #row: ExportRow
  readonly #file: ExportFile
  /** Position after the last stored message. */
  #position: ExportPosition
  #merge: RunMerge | undefined
  /** Messages taken from the merge that are not exported yet. */
  #pending: MergedEntry[] = []
  #chunk: OpenChunk | undefined

  constructor({ context, row, position, file }: ExporterOptions) {
    this.#context = context
    this.#row = row
    this.#file = file
    this.#position = position
  }

  /** Id of the next message to export. */
  get nextId(): string | undefined {
    return this.#pending[0]?.id
  }

  /**
   * Exports messages for one turn. Returns true once the export has ended.
   *
   * @throws MailFailure: the messages before the failure are stored
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

  /** Exports these messages, or as many as a turn has time for. */
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
      // No chunk is open after a message that took chunks of its own.
      if (this.#chunk && !this.#chunk.isDue) continue
      await this.#store()
      if (Date.now() >= endAt || (await this.#isFull(bounds))) return
    }
  }

  /** Passes over the next message, which cannot be read. */
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

  /** Moves the position of the chunk in progress behind the next message. */
  #pass(): void {
    const entry = this.#pending.shift()
    if (!entry || !this.#chunk) return
    this.#chunk.merge = positionAfter(this.#chunk.merge, entry)
  }

  /**
   * Adds a message whose contents are read while they are stored. Content that turns out to be too
   * large, or is refused at the last attempt, is replaced by its error: the message starts again.
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

  /** Stores a chunk in the middle of a message. The stored position stays before the message. */
  async #storePartial(): Promise<void> {
    const chunk = this.#chunkOrNew()
    this.#chunk = undefined
    await this.#file.append({ bytes: await chunk.end() }, async () => undefined)
  }

  /** Stores the chunk in progress with the position after its last message. */
  async #store(): Promise<void> {
    const chunk = this.#chunk
    if (!chunk) return
    this.#chunk = undefined
    if (!chunk.hasBytes) {
      chunk[Symbol.dispose]()
      // The last piece of a large message may have filled, and stored, its chunk.
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

  /** Stores the last chunk and ends the export. */
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
