import type { Metrics } from '@posthorn/telemetry'

export type ExportMetrics = ReturnType<typeof createExportMetrics>

/** Creates the metrics of exports, which write messages of an account to a file. */
export function createExportMetrics(metrics: Metrics) {
  const running = metrics.gauge({
    name: 'exports_running',
    help: 'Unfinished exports of the leased shards',
  })
  const ended = metrics.counter({
    name: 'exports_ended_total',
    help: 'Exports that ended',
    labels: ['status'],
  })
  const messages = metrics.counter({
    name: 'exported_messages_total',
    help: 'Messages of exports that were exported, or skipped',
    labels: ['outcome'],
  })
  return {
    running: (change: 1 | -1) => running.inc(change),
    ended: (status: 'completed' | 'failed') => ended.inc({ status }),
    messages({ exported, skipped }: { exported: number; skipped: number }) {
      messages.inc({ outcome: 'exported' }, exported)
      messages.inc({ outcome: 'skipped' }, skipped)
    },
  }
}
