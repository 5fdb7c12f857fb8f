import type { ExportDriver, ExportEntry } from '../drivers/export-driver.ts'
import { deleteIndex, insertRun } from '../store/export-index.ts'
import { type ExportRow, saveProgress } from '../store/running-exports.ts'
import { type ExportContext, inExport } from './export-context.ts'
import { maxRunEntries, packRun } from './index-entries.ts'
import { fromDriver, mailCall } from './failures/mail-failure.ts'
import { type ExportPosition, startPosition } from './position.ts'

/**
 * Maximum time in milliseconds for which an export lists messages before other exports have their
 * turns.
 */
const turnMs = 10_000

/** State of an export in memory: a copy of the stored row and position. */
export interface ListedExport {
  row: ExportRow
  position: ExportPosition
}

/**
 * Selects the folders that an export reads and stores the selection. Deletes the messages that were
 * listed before, so that the export lists its messages from the start.
 */
export async function selectExportFolders(
  context: ExportContext,
  { driver, row, restarts }: { driver: ExportDriver; row: ExportRow; restarts: number },
  signal: AbortSignal,
): Promise<ExportPosition> {
  const folders = await mailCall(driver.folders(row.folders, signal), signal)
  const position = startPosition(folders, restarts)
  const counts = { foldersScanned: 0, foldersTotal: folders.length, messagesQueued: 0 }
  const { exportId, deps } = context
  const { maxAgeMs } = deps.config.exports
  await inExport(context, async (tx) => {
    await saveProgress(tx, exportId, { position, ...counts, maxAgeMs })
    await deleteIndex(tx, exportId)
  })
  row.messagesQueued = 0
  return position
}

/**
 * Lists messages of an export for a limited time. Stores the messages as a sorted run (piece of the
 * message list), together with the position after these messages. Returns false once all folders
 * are listed.
 */
export async function listTurn(
  context: ExportContext,
  { row, position }: ListedExport,
  { driver, signal }: { driver: ExportDriver; signal: AbortSignal },
): Promise<boolean> {
  const endAt = Date.now() + turnMs
  const list = new FolderList(driver, { row, position })
  const isOver = () => list.entries.length >= maxRunEntries || Date.now() >= endAt
  let failure: { error: unknown } | undefined
  try {
    while (!list.isComplete && !isOver()) await list.listFolder(isOver, signal)
  } catch (error) {
    failure = { error }
  }
  if (failure && list.entries.length === 0 && list.scanned === position.scanned) throw failure.error
  await storeRun(context, { row, position }, list)
  if (failure) throw failure.error
  return !list.isComplete
}

/**
 * Skips the folder that an export is listing, because the mail server refuses the folder. The
 * export then ends as truncated.
 */
export async function skipFolder(context: ExportContext, position: ExportPosition): Promise<void> {
  const { exportId, deps } = context
  const { maxAgeMs } = deps.config.exports
  const { cursor: _, ...rest } = position
  const next: ExportPosition = { ...rest, scanned: position.scanned + 1, lacksFolder: true }
  const update = { position: next, foldersScanned: next.scanned }
  await inExport(context, (tx) => saveProgress(tx, exportId, { ...update, maxAgeMs }))
  Object.assign(position, next)
  delete position.cursor
}

/** List of messages in the remaining folders of an export. */
class FolderList {
  readonly entries: ExportEntry[] = []
  /** Number of folders of the export whose messages are listed completely. */
  scanned: number
  /** Cursor in the folder that the export lists next. Undefined at the start of the folder. */
  cursor: string | undefined
  readonly #driver: ExportDriver
  readonly #export: ListedExport

  constructor(driver: ExportDriver, listed: ListedExport) {
    this.#driver = driver
    this.#export = listed
    this.scanned = listed.position.scanned
    this.cursor = listed.position.cursor
  }

  get isComplete(): boolean {
    return this.scanned >= this.#export.position.folders.length
  }

  /**
   * Lists the messages of a folder for an export until the end of the folder, or until `isOver`
   * returns true.
   */
  async listFolder(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    const { row, position } = this.#export
    const folder = position.folders[this.scanned]
    if (!folder) return
    const [start, end] = [row.startDate.getTime(), row.endDate.getTime()]
    const range = { start, end, cursor: this.cursor }
    for await (const page of fromDriver(this.#driver.list(folder, range, signal), signal)) {
      for (const entry of page.entries) this.entries.push(entry)
      this.cursor = page.cursor
      if (isOver()) return
    }
    this.scanned++
    this.cursor = undefined
  }
}

async function storeRun(
  context: ExportContext,
  { row, position }: ListedExport,
  { entries, scanned, cursor, isComplete }: FolderList,
): Promise<void> {
  const { exportId, deps } = context
  const { maxAgeMs } = deps.config.exports
  const parts = await packRun(entries)
  const { cursor: _, ...rest } = position
  const next: ExportPosition = {
    ...rest,
    scanned,
    ...(cursor !== undefined && { cursor }),
    runs: position.runs + (parts.length > 0 ? 1 : 0),
  }
  const messagesQueued = row.messagesQueued + entries.length
  const update = {
    position: next,
    phase: isComplete ? ('exporting' as const) : ('indexing' as const),
    foldersScanned: scanned,
    messagesQueued,
  }
  await inExport(context, async (tx) => {
    await saveProgress(tx, exportId, { ...update, maxAgeMs })
    await insertRun(tx, exportId, { run: position.runs, parts })
  })
  delete position.cursor
  Object.assign(position, next)
  row.messagesQueued = messagesQueued
  row.phase = update.phase
}
