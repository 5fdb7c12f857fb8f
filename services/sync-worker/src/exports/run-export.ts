import { sleep } from '@posthorn/flow'
import { ExportRun, type RunDeps } from './export-run.ts'

/**
 * Runs an export of this worker until the export ends or the signal aborts. Starts at the stored
 * position of the export, also after a failure. Never throws.
 */
export async function runExport(
  deps: RunDeps,
  { exportId, account }: { exportId: string; account: string },
  signal: AbortSignal,
): Promise<void> {
  const log = deps.log.child({ account, exportId })
  const run = new ExportRun({ ...deps, log }, exportId)
  for (let failures = 0; !signal.aborted;) {
    try {
      if (await run.turn(await deps.findAccount(account, signal), signal)) return
      failures = 0
      run.clearFailures()
    } catch (error) {
      if (signal.aborted) return
      failures = await run.recover(error, failures, signal)
      if (run.hasEnded) return
      if (failures > 0) await sleep(deps.retryDelayMs(failures), signal).catch(() => undefined)
    }
  }
}
