import type { RunCommand } from '../../program/command.ts'

/**
 * Command `exports delete`: cancels a running export of messages, or deletes the export with its
 * file.
 */
export const deleteExport: RunCommand = async ({ posthorn, output, signal }, args) => {
  const [account = '', exportId = ''] = args
  const client = await posthorn()
  const result = await client.deleteExport({ account, exportId }, { signal })
  await output.result({ exportId, ...result }, `deleted ${exportId}`)
}
