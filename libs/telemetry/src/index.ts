export { createLogger, type Logger, type LogLevel, logLevels } from './logger.ts'
export { createMetrics, type Gauge, type Metrics } from './metrics.ts'
export { activeTrace, inSpan, type TraceHeaders } from './traces.ts'
