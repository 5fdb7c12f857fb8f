import type { ExportBody, ExportEntry } from '../../data/lists/exports.ts'

/** Request that creates the export of the form. Times are in the reader's time zone. */
export function exportBody(values: Readonly<Record<string, string>>): ExportBody {
  const { startDate = '', endDate = '', folders = '', textType, includeAttachments } = values
  const paths = folders.split('\n').map((path) => path.trim())
  const named = paths.filter(Boolean)
  return {
    startDate: new Date(startDate).toISOString(),
    endDate: new Date(endDate).toISOString(),
    textType: textType === 'plain' || textType === 'html' ? textType : '*',
    includeAttachments: includeAttachments === 'true',
    ...(named.length > 0 && { folders: named }),
  }
}

/**
 * Fraction of an export of messages that is complete, from 0 to 1. Undefined while the fraction is
 * unknown.
 */
export function exportPart({ status, phase, progress }: ExportEntry): number | undefined {
  if (status !== 'processing') return undefined
  const { foldersScanned, foldersTotal, messagesExported, messagesQueued } = progress
  if (phase === 'indexing') return foldersTotal > 0 ? foldersScanned / foldersTotal : undefined
  return messagesQueued > 0 ? messagesExported / messagesQueued : undefined
}

/** Progress of an export in its phase, in words. */
export function progressText({ status, phase, progress, unavailableSince }: ExportEntry): string {
  const { foldersScanned, foldersTotal, messagesExported, messagesQueued } = progress
  const skipped = progress.messagesSkipped
  if (status === 'queued') return 'waits for a worker'
  const text =
    status === 'processing' && phase === 'indexing'
      ? `searches messages: ${foldersScanned} of ${foldersTotal} mailboxes`
      : `${count(messagesExported)} of ${count(messagesQueued)} messages`
  const remarks = [
    ...(skipped > 0 ? [`${count(skipped)} could not be read`] : []),
    ...(unavailableSince === null ? [] : ['the mail server does not respond']),
  ]
  return [text, ...remarks].join(', ')
}

function count(value: number): string {
  return value.toLocaleString('en')
}
