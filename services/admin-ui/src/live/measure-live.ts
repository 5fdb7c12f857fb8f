import type { Metrics } from '@posthorn/telemetry'
import type { StreamEnd } from './live-stream.ts'

/**
 * Registers the metrics of live updates. Returns the functions that count.
 *
 * @param countStreams returns the number of open streams
 */
export function measureLive(
  metrics: Pick<Metrics, 'counter' | 'gauge'>,
  countStreams: () => number,
) {
  metrics.gauge({
    name: 'admin_live_streams',
    help: 'Open streams of live updates to tabs with administration pages',
    collect: countStreams,
  })
  const ends = metrics.counter({
    name: 'admin_live_streams_ended_total',
    help: 'Ended and refused streams of live updates, by reason',
    labels: ['reason'],
  })
  const reads = metrics.counter({
    name: 'admin_live_reads_total',
    help: 'Calls of api-gateway for all tabs with live updates together, by operation and result',
    labels: ['operation', 'result'],
  })
  return {
    onEnd: (reason: StreamEnd) => ends.inc({ reason }),
    onLimited: () => ends.inc({ reason: 'limited' }),
    onRead: (operation: string, result: 'done' | 'failed') => reads.inc({ operation, result }),
  }
}
