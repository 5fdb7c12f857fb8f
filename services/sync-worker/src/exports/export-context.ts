import type { EndOptions, ExportEnd, RecordedEvent } from '@posthorn/db'
import { endExport, publishEvents, type Tx } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from '../config.ts'
import type { CommitDeps } from '../events/commit.ts'
import { type AccountLease, withLease } from '../store/lease.ts'
import { endedError } from '../store/running-exports.ts'
import type { ExportMetrics } from './export-metrics.ts'

/** Requests the key that encrypts the file of an export from auth-bridge. */
export type ReadExportKey = (
  target: { account: string; exportId: string },
  signal: AbortSignal,
) => Promise<Buffer>

export interface ExportDeps {
  readonly commit: CommitDeps
  readonly readKey: ReadExportKey
  readonly metrics: ExportMetrics
  readonly config: Pick<Config, 'exports'>
  readonly log: Logger
}

/** Context of an export that this worker runs under the lease of the exported account. */
export interface ExportContext {
  readonly exportId: string
  readonly lease: AccountLease
  readonly deps: ExportDeps
  readonly log: Logger
}

/**
 * Runs a database transaction of an export under the lease of the exported account.
 *
 * @throws AppError `stale` if the lease is lost
 */
export function inExport<T>(
  { deps, lease }: ExportContext,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return withLease(deps.commit.db, lease, work)
}

/**
 * Ends an export in a transaction that first runs `before`. Publishes the event about the end of
 * the export afterwards.
 *
 * @throws AppError `stale` if the lease is lost or the export has ended; nothing is stored then
 */
export async function finishExport(
  context: ExportContext,
  end: ExportEnd,
  before: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<void> {
  const { exportId, deps, log } = context
  const { settings, bus, metrics, markPublished } = deps.commit
  const { serviceUrl = null } = await settings.get()
  const options: EndOptions = { maxAgeMs: deps.config.exports.maxAgeMs, serviceUrl }
  const events: RecordedEvent[] = await inExport(context, async (tx) => {
    await before(tx)
    return (await endExport(tx, [exportId, end], options)) ?? endedError(exportId)
  })
  metrics.eventsRecorded(events)
  deps.metrics.ended(end.status)
  log.info({ status: end.status }, 'export ended')
  if (bus.up) await publishEvents(markPublished, (message) => bus.publishEvent(message), events)
}
