import type { Bus } from '@posthorn/bus'
import { getExportKey, minCredentialsTimeoutMs } from '@posthorn/contracts/commands/credentials'
import { AppError } from '@posthorn/errors'
import { backoff } from '@posthorn/flow'
import type { Metrics } from '@posthorn/telemetry'
import type { Registry } from '../sessions/registry.ts'
import type { ExportDeps, ReadExportKey } from './export-context.ts'
import { createExportMetrics } from './export-metrics.ts'
import { ExportRunner } from './export-runner.ts'
import { ExportTurns } from './export-turns.ts'
import type { RunDeps } from './export-run.ts'

const retryDelayMs = backoff({ baseMs: 1_000, maxMs: 60_000, jitter: 0.2 })

export interface ExportParts extends Omit<ExportDeps, 'readKey' | 'metrics'> {
  readonly bus: Pick<Bus, 'request'>
  readonly registry: Metrics
  readonly sessions: Pick<Registry, 'findPrepared'>
  /**
   * Id of this worker, and the secret that authenticates the worker in requests for keys of export
   * files.
   */
  readonly worker: { id: string; proof: string }
}

/** Creates the runner of this worker's exports. Disposal of `stack` stops the exports. */
export function createExports(
  stack: AsyncDisposableStack,
  { bus, registry, sessions, worker, ...rest }: ExportParts,
): ExportRunner {
  const readKey: ReadExportKey = async ({ account, exportId }, signal) => {
    const request = { account, exportId, entitlement: { worker } }
    const options = { key: 'credentials', timeoutMs: minCredentialsTimeoutMs, signal }
    const { key } = await bus.request(getExportKey, request, options)
    return Buffer.from(key, 'base64')
  }
  const deps = { ...rest, metrics: createExportMetrics(registry) }
  const turns = stack.use(new ExportTurns())
  const findAccount = accountFinder(sessions)
  return stack.use(new ExportRunner({ ...deps, readKey, turns, retryDelayMs, findAccount }))
}

/** Creates the function that finds the exported account on this worker. */
function accountFinder(sessions: ExportParts['sessions']): RunDeps['findAccount'] {
  return async (account, signal) => {
    const session = await sessions.findPrepared(account, signal)
    const driver = session?.driver.exports
    if (!session || !driver)
      throw new AppError('unavailable', 'No worker holds the account', {
        code: 'WorkerNotAvailable',
      })
    const { sync, lease } = session
    const isSyncDue = () => (sync.running ? sync.running.action !== 'full' : sync.next.delayMs <= 0)
    return { lease, driver, isSyncDue }
  }
}
