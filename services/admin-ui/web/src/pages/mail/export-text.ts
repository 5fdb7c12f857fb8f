import type { ExportEntry } from '../../data/exports.ts'
import type { Tone } from '../../kit/content/badge.tsx'
import type { PageQuery } from '../../routing/query-text.ts'

/** States of an export, in the order of the filter. */
export const exportStates = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const
export type ExportState = (typeof exportStates)[number]

/** Colors of the states of an export. */
export const exportTones: Readonly<Record<ExportState, Tone>> = {
  queued: 'neutral',
  processing: 'neutral',
  completed: 'good',
  failed: 'bad',
  cancelled: 'warn',
}

/** State by which a page's query filters exports. Undefined: exports in all states are listed. */
export function exportStateOf({ status }: PageQuery): ExportState | undefined {
  return exportStates.find((each) => each === status)
}

/** Progress of an export in words: searched mailboxes, then written messages. */
export function progressText({ phase, progress }: Pick<ExportEntry, 'phase' | 'progress'>): string {
  const { foldersScanned, foldersTotal, messagesExported, messagesQueued, messagesSkipped } =
    progress
  if (phase === undefined) return 'not started'
  if (phase === 'indexing') return `${foldersScanned} of ${foldersTotal} mailboxes searched`
  const skipped = messagesSkipped > 0 ? `, ${messagesSkipped} unreadable` : ''
  return `${messagesExported} of ${messagesQueued} messages${skipped}`
}
