import { AppError } from '@posthorn/errors'
import { destination, pino, type Logger as Pino, type LoggerOptions, stdSerializers } from 'pino'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** JSON lines on stdout. Objects first, then the words: `log.info({ account }, 'connected')`. */
export type Logger = Pick<Pino, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  /** `redact: []`: its lines are not searched for secrets, which costs more than writing them. For what can hold none. */
  child(bindings: object, options?: { redact: [] }): Logger
}

/**
 * Lines wait for company this long, or until they are so many bytes: a write of its own for each costs more than making the line. What is left
 * is written when the process ends, by an exception or otherwise; a SIGKILL loses it.
 */
const together = { periodicFlush: 100, minLength: 4_096 }

/** A logger of one service. Values of type Secret print as `***` by themselves; the paths here catch what libraries hand over. */
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
  return pino(options, destination({ dest: 1, sync: false, ...together }))
}

/** Name, text, code and stack; of the causes the same. Never the other properties: libraries hang requests and sockets on errors. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return stdSerializers.err(error as Error)
  const code = (error as { code?: unknown }).code
  return {
    type: error.name,
    message: error.message,
    ...(error instanceof AppError ? { kind: error.kind } : {}),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}
