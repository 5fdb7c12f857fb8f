import { createLogger, createMetrics, type Logger, type Metrics } from '@posthorn/telemetry'
import { type Bus, connectBus, type ConnectOptions } from '../src/index.ts'

/** Logger without output, for tests of RabbitMQ clients. */
export const silent = createLogger('test', 'silent')

/** Opens a bus (RabbitMQ client) and waits until it is up. Bindings are redeclared every 200 ms. */
export async function openBus(
  url: string,
  options: Partial<ConnectOptions> = {},
): Promise<Bus & { metrics: Metrics }> {
  const metrics = createMetrics('test')
  const bus = await connectBus({
    url,
    name: 'test',
    log: silent,
    metrics,
    reconcileMs: 200,
    ...options,
  })
  await bus.whenUp()
  return Object.assign(bus, { metrics })
}

export interface Line {
  level: string
  words: string
  fields: Record<string, unknown>
}

/** Logger that records its lines, for tests of RabbitMQ clients. */
export function recordingLog(): { log: Logger; lines: Line[] } {
  const lines: Line[] = []
  const at = (level: string) => (fields: Record<string, unknown>, words: string) =>
    void lines.push(
      typeof fields === 'string' ? { level, words: fields, fields: {} } : { level, words, fields },
    )
  const log = {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    child: () => log,
  }
  return { log: log as unknown as Logger, lines }
}
