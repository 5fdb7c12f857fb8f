import type { ExportFolder } from '../drivers/export-driver.ts'
import type { FilePosition } from '../store/running-exports.ts'
import type { MergePosition } from './merge-runs.ts'

/**
 * Position of an export, stored in `exports.position` in one transaction with the work before the
 * position. After a failure, a worker continues the export at the position.
 */
export interface ExportPosition {
  /** Folders that the export reads, in this order. */
  folders: ExportFolder[]
  /** Number of the export's folders whose messages are listed completely. */
  scanned: number
  /** Cursor in the folder that the export lists next. Absent at the start of the folder. */
  cursor?: string
  /** Number of stored sorted runs (pieces of the export's message list). */
  runs: number
  /**
   * Number of times that the export listed its messages again, because a folder or cursor was lost.
   */
  restarts: number
  /**
   * True if the mail server refused to list a folder, so that the export file lacks the folder's
   * messages.
   */
  lacksFolder?: true
  /** Position in the export's sorted message list after the last exported message. */
  merge: MergePosition
  /**
   * End of the last exported message in the export file. Later chunks belong to an incomplete
   * message.
   */
  file: FilePosition
  /**
   * Time at which the first message was exported, in epoch milliseconds. Used to estimate the end
   * of the export.
   */
  exportingSince?: number
}

/** Creates the position of an export before its first message is listed. */
export function startPosition(folders: readonly ExportFolder[], restarts = 0): ExportPosition {
  return {
    folders: [...folders],
    scanned: 0,
    runs: 0,
    restarts,
    merge: { runs: [] },
    file: { chunks: 0, bytes: 0 },
  }
}

/**
 * Estimates the end of an export from the number of messages exported so far and the time they
 * took. Null if unknown. Pure.
 */
export function estimateEnd(
  { done, queued, since }: { done: number; queued: number; since: number },
  now: number,
): Date | null {
  const elapsedMs = now - since
  // The speed in the first seconds of an export says little about the later speed.
  if (done === 0 || elapsedMs < 5_000) return null
  return new Date(now + Math.round((elapsedMs / done) * Math.max(0, queued - done)))
}
