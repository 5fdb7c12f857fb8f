import type { Logger, Metrics } from '@posthorn/telemetry'
import { MessageReader, type MessageReaderOptions } from './message-reader.ts'

interface ReaderDeps {
  metrics: Metrics
  log: Logger
}

/**
 * Creates the message reader of a service, which reads untrusted messages and requests within
 * limits of time and memory. The message reader counts and logs when a limit is exceeded.
 */
export function createMessageReader(
  { metrics, log }: ReaderDeps,
  limits: Pick<MessageReaderOptions, 'processes' | 'timeoutMs' | 'maxHeapMb'>,
): MessageReader {
  const overruns = metrics.counter({
    name: 'message_reading_overruns_total',
    help: 'Parts of messages that were not read within the limits',
    labels: ['part', 'reason'],
  })
  return new MessageReader({
    ...limits,
    onOverrun({ account, part, reason }) {
      overruns.inc({ part, reason })
      log.warn({ account, part, reason }, 'message exceeds the reading limits')
    },
  })
}
