import { createLogger, createMetrics, type Logger, type Metrics } from '@posthorn/telemetry'
import { type Bus, connectBus, type ConnectOptions } from '../src/index.ts'

/** Nothing is printed. */
export const silent = createLogger('test', 'silent')

/** A bus that is up, with bindings healed often enough for a test. */
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

/** A logger that keeps what it is told. */
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
