import type { ExportFolder } from '../drivers/export-driver.ts'
import type { FilePosition } from '../store/running-exports.ts'
import type { MergePosition } from './merge-runs.ts'

/**
 * Position of an export, stored in `exports.position` together with everything before it. Another
 * worker continues here.
 */
export interface ExportPosition {
  /** Folders to read, in this order. */
  folders: ExportFolder[]
  /** Number of folders that are listed completely. */
  scanned: number
  /** Position in the folder after them. Absent: its start. */
  cursor?: string
  /** Number of stored runs of the list of messages. */
  runs: number
  /** Number of times that the list was started again, because a folder or cursor was lost. */
  restarts: number
  /** True if a folder could not be listed, so that the file lacks its messages. */
  lacksFolder?: true
  /** Position after the last exported message. */
  merge: MergePosition
  /** End of that message in the file. Chunks after it belong to an unfinished message. */
  file: FilePosition
  /** Time at which the first message was exported, in epoch milliseconds, for the estimated end. */
  exportingSince?: number
}

/** Position at the start of the list of messages. */
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

/** Estimated end of an export, from the messages of the time since its start. Pure. */
export function estimateEnd(
  { done, queued, since }: { done: number; queued: number; since: number },
  now: number,
): Date | null {
  const elapsedMs = now - since
  // Figures of the first seconds say little.
  if (done === 0 || elapsedMs < 5_000) return null
  return new Date(now + Math.round((elapsedMs / done) * Math.max(0, queued - done)))
}
