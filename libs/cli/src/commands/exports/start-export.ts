import { defined } from '@posthorn/contracts/defined'
import type { RunCommand } from '../../program/command.ts'
import { exportLines, waitUntilComplete } from './wait-for-export.ts'

/** Earliest time of receipt of exported messages if `--since` is absent. */
const earliest = '1970-01-01T00:00:00.000Z'

/** Command `exports start`: starts an export of an account's messages. */
export const startExport: RunCommand = async (context, args, options) => {
  const { posthorn, output, signal } = context
  const [account = ''] = args
  const { since, before, path, text, maxBytes, attachments, wait } = options as {
    since?: string
    before?: string
    path?: string[]
    text?: 'plain' | 'html' | 'both'
    maxBytes?: number
    attachments?: boolean
    wait?: boolean
  }
  const client = await posthorn()
  const body = {
    startDate: since ?? earliest,
    endDate: before ?? new Date().toISOString(),
    ...defined({
      folders: path,
      textType: text === 'both' ? ('*' as const) : text,
      maxBytes,
      includeAttachments: attachments,
    }),
  }
  const created = await client.createExport({ account, body }, { signal })
  const { exportId } = created
  if (!wait) return output.result(created, [`started ${exportId}`])
  context.progress.note(`started ${exportId}`)
  const record = await waitUntilComplete(context, client, { account, exportId })
  await output.result(record, exportLines(record))
}
