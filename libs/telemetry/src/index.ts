export { createLogger, type Logger, type LogLevel, logLevels } from './logger.ts'
export { createMetrics, type Gauge, type Metrics } from './metrics.ts'
export { sourceStack } from './source-stack.ts'
export { activeTrace, inSpan, type TraceHeaders } from './traces.ts'
