import type { CreateExportInput, ListAllExportsInput, ListAllExportsResult } from '@posthorn/client'
import {
  createExport,
  deleteExport,
  downloadExport,
  listAllExports,
} from '@posthorn/client/operations'
import type { Load } from '../load-state.ts'
import { calls } from '../query-client.ts'
import { saveFile } from '../save-file.ts'
import { useLoad } from '../use-load.ts'

/** Export of an account's messages in the list of all exports. */
export type ExportEntry = ListAllExportsResult['exports'][number]
/** Request that creates an export of an account's messages. */
export type ExportBody = CreateExportInput['body']

/** Cache key of the exports of messages. */
export const exportsKey = ['exports'] as const
const refreshMs = 5_000

/** Loads a page of the list of the exports of all accounts. */
export function useExports(input: ListAllExportsInput): Load<ListAllExportsResult> {
  const load = () => listAllExports(calls.api, input)
  return useLoad([...exportsKey, input], load, { everyMs: refreshMs })
}

/** Export of messages with its account. */
export type ExportId = Pick<ExportEntry, 'account' | 'exportId'>

async function download({ account, exportId }: ExportId): Promise<void> {
  const response = await downloadExport(calls.api, { account, exportId })
  saveFile(await response.blob(), `${exportId}.ndjson.gz`)
}

/** Calls that create, end and download exports of messages. */
export const exportActions = {
  create: ({ account, body }: { account: string; body: ExportBody }) =>
    createExport(calls.api, { account, body }),
  /** Cancels an export of messages that is in progress, or deletes an ended export. */
  end: ({ account, exportId }: ExportId) => deleteExport(calls.api, { account, exportId }),
  download,
}
