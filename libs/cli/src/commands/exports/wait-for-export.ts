import type { GetExportResult, Posthorn } from '@posthorn/client'
import { CommandError } from '../../exit-codes.ts'
import { bytesText, countText, fieldLines } from '../../io/fields.ts'
import { waitUntil } from '../../io/wait-until.ts'
import type { CommandContext, RunCommand } from '../../program/command.ts'

/**
 * Time for which requests about an export are repeated, so that a restart of the server does not
 * end the wait.
 */
const retryForMs = 60_000

/** Command `exports wait`: waits until the file of an export is complete. */
export const waitForExport: RunCommand = async (context, args) => {
  const [account = '', exportId = ''] = args
  const client = await context.posthorn()
  const record = await waitUntilComplete(context, client, { account, exportId })
  await context.output.result(record, exportLines(record))
}

/**
 * Waits until an export is complete, and shows its progress.
 *
 * @throws CommandError if the export has failed or was cancelled
 */
export function waitUntilComplete(
  { progress, signal }: Pick<CommandContext, 'progress' | 'signal'>,
  client: Posthorn,
  { account, exportId }: { account: string; exportId: string },
): Promise<GetExportResult> {
  return waitUntil(
    async () => {
      const record = await client.getExport({ account, exportId }, { signal, retryForMs })
      if (record.status === 'completed') return record
      if (record.status === 'failed' || record.status === 'cancelled')
        throw new CommandError(`the export ${exportId} ${endText(record)}: start another export`)
      progress.show(progressText(record))
      return undefined
    },
    { signal },
  )
}

/** Lines of text for people about a complete export. */
export function exportLines(record: GetExportResult): string[] {
  const { progress, truncated } = record
  return fieldLines([
    ['export', record.exportId],
    ['status', record.status],
    ['messages', progress.messagesExported],
    ['skipped', progress.messagesSkipped || undefined],
    ['size', bytesText(progress.bytesWritten)],
    ['incomplete', truncated ? 'a limit was reached, or a mailbox could not be read' : undefined],
    ['expires', record.expiresAt],
  ])
}

function endText({ status, error }: GetExportResult): string {
  if (status === 'cancelled') return 'was cancelled'
  return error === null ? 'failed' : `failed (${error})`
}

function progressText({ phase, progress, estimatedEnd }: GetExportResult): string {
  if (phase === undefined) return 'waiting for a worker'
  const { foldersScanned, foldersTotal, messagesQueued, messagesExported, bytesWritten } = progress
  const total = countText(messagesQueued, 'message')
  if (phase === 'indexing')
    return `searched ${foldersScanned} of ${countText(foldersTotal, 'mailbox').replace(/xs$/, 'xes')}, ${total} found`
  const end = estimatedEnd === undefined ? '' : `, ends about ${estimatedEnd}`
  return `exported ${messagesExported} of ${total}, ${bytesText(bytesWritten)}${end}`
}
