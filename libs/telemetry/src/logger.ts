import { AppError } from '@posthorn/errors'
import { destination, pino, type Logger as Pino, type LoggerOptions, stdSerializers } from 'pino'
import { sourceStack } from './source-stack.ts'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Logger that writes log lines in JSON to stdout: `log.info({ account }, 'connected')`. */
export type Logger = Pick<Pino, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  /**
   * Creates a logger that adds fields to each log line. With `redact: []`, secrets are not searched
   * in the fields, because the search takes more time than writing the line. Use this option only
   * if the fields cannot contain secrets.
   */
  child(bindings: object, options?: { redact: [] }): Logger
}

/**
 * Buffering of log lines: lines are written after 100 ms or 4 kB, because a write per line takes
 * more time than formatting the line. At the end of the process, buffered lines are written, even
 * after an exception. After SIGKILL they are lost.
 */
const buffering = { periodicFlush: 100, minLength: 4_096 }

/**
 * Creates the logger of a service. Values of the class `Secret` are logged as `***`. The option
 * `redact` removes secrets from objects of libraries.
 */
export function createLogger(service: string, level: LogLevel = 'info'): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
    redact: {
      paths: [
        'pass',
        'accessToken',
        'refreshToken',
        'authorization',
        '*.pass',
        '*.accessToken',
        '*.refreshToken',
        '*.authorization',
        '*.cookie',
        '*.access_token',
      ],
      censor: '***',
    },
  }
  return pino(options, destination({ dest: 1, sync: false, ...buffering }))
}

/**
 * Describes an error for the log: name, text, code and stack of the error and its causes. Other
 * properties are not logged, because libraries attach requests and sockets to errors.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return stdSerializers.err(error as Error)
  const code = (error as { code?: unknown }).code
  return {
    type: error.name,
    message: error.message,
    ...(error instanceof AppError ? { kind: error.kind } : {}),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: sourceStack(error),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}
