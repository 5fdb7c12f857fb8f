import type { Db } from '@posthorn/db'
import { type Clock, type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger, Metrics } from '@posthorn/telemetry'
import {
  countMissingAuditPartitions,
  dropAuditPartitions,
  ensureAuditPartitions,
} from '../store/audit.ts'

export interface AuditRetentionOptions {
  /** Days for which entries of the audit log are kept, at least 31. */
  keepDays: number
  log: Pick<Logger, 'info' | 'error'>
  metrics: Pick<Metrics, 'gauge'>
  clock?: Clock
}

/**
 * Interval at which partitions of the audit log are created and dropped. The partition of the next
 * month is created weeks before it is needed, so that failed runs have no effect.
 */
const everyMs = 60 * 60_000

/**
 * Starts the task that creates the audit log partitions for this month and the next, and drops
 * those older than the retention. The task runs at start and every hour. Replicas may run the task
 * at the same time.
 */
export function startAuditRetention(
  db: Db,
  { keepDays, log, metrics, clock = Date.now }: AuditRetentionOptions,
): PeriodicTask {
  metrics.gauge({
    name: 'admin_audit_missing_partitions',
    help: 'Months without a table partition of the audit log, of the current and the next month',
    collect: () => countMissingAuditPartitions(db, new Date(clock())),
  })
  return runPeriodically({ everyMs, name: 'audit log partitions', log }, async () => {
    await ensureAuditPartitions(db, new Date(clock()))
    const dropped = await dropAuditPartitions(db, keepDays)
    if (dropped > 0) log.info({ dropped, keepDays }, 'old audit log partitions dropped')
  })
}
