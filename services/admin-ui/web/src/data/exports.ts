import type { ListAllExportsInput, ListAllExportsResult } from '@posthorn/client'
import { deleteExport, downloadExport, listAllExports } from '@posthorn/client/operations'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { saveFile } from './save-file.ts'
import { useLoad } from './use-load.ts'

/** Export of the messages of an account, in the list of exports. */
export type ExportEntry = ListAllExportsResult['exports'][number]

/** Cache key of the exports. */
export const exportsKey = ['exports'] as const
/** Interval in milliseconds at which the progress of exports is loaded again. */
const refreshMs = 5_000

/** Loads a page of the list of exports of all accounts. */
export function useExports(input: ListAllExportsInput): Load<ListAllExportsResult> {
  return useLoad([...exportsKey, input], () => listAllExports(calls.api, input), {
    everyMs: refreshMs,
  })
}

/** Calls for one export. The removal of an unfinished export cancels the export. */
export const exportActions = {
  remove: ({ account, exportId }: ExportEntry) => deleteExport(calls.api, { account, exportId }),
  download: async ({ account, exportId }: ExportEntry) => {
    const response = await downloadExport(calls.api, { account, exportId })
    saveFile(await response.blob(), `${exportId}.ndjson.gz`)
  },
}
