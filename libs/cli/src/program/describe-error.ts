import type { PosthornError } from '@posthorn/client'
import { CommandError, exitCodes } from '../exit-codes.ts'

/** Lines for the user about the failure of a command, and the exit code of the program. */
export interface DescribedError {
  lines: readonly string[]
  exitCode: number
}

/**
 * Describes the error of a command for the user. The names of error classes are compared, because
 * the API client is loaded late.
 */
export function describeError(error: unknown): DescribedError {
  if (error instanceof CommandError) return { lines: [error.message], exitCode: error.exitCode }
  if (!(error instanceof Error)) return { lines: [String(error)], exitCode: exitCodes.failed }
  if (error.name === 'PosthornError') return describeResponse(error as PosthornError)
  if (error.name === 'PosthornConnectionError')
    return {
      lines: [
        `no connection to the server: ${reasonOf(error.cause)}`,
        'Check the URL and the network.',
      ],
      exitCode: exitCodes.unreachable,
    }
  return { lines: [error.message], exitCode: exitCodes.failed }
}

/**
 * True for the API response of a server that does not have the called operation: an older or newer
 * release. Responses about a missing account or entry have a code or another message.
 */
export function isUnknownOperation(error: unknown): boolean {
  const { name, status, code, message } = error as Partial<PosthornError>
  if (name !== 'PosthornError' || status !== 404) return false
  return code === undefined && message === 'Not Found'
}

/** Error text for a server that does not have an API operation. The user compares the versions. */
export function unknownOperation(versions: { server: string; program: string }): string {
  return (
    `the server does not have this operation: it has release ${versions.server}, ` +
    `this program ${versions.program}. Use the program in the image of the server.`
  )
}

function describeResponse(error: PosthornError): DescribedError {
  const { status, code, message, fields, requestId, ttl } = error
  const remedy = remedies[code ?? ''] ?? remedies[String(status)]
  return {
    lines: [
      `${message} (${[status, code].filter(Boolean).join(' ')})`,
      ...fields.map(({ path, message }) => `  ${path}: ${message}`),
      ...(remedy === undefined ? [] : [remedy]),
      ...(ttl === undefined ? [] : [`Repeat the command in ${ttl} s.`]),
      ...(requestId === undefined ? [] : [`Request id: ${requestId}`]),
    ],
    exitCode:
      [502, 503, 504].includes(status) && code === undefined
        ? exitCodes.unreachable
        : exitCodes.failed,
  }
}

/** Remedies that the program suggests, by error code or HTTP status of the API. */
const remedies: Readonly<Record<string, string>> = {
  401: 'Run `posthorn login` with a token that is valid.',
  403: 'The token does not permit the command. Use a token with the necessary scope.',
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const code = (cause as NodeJS.ErrnoException).code
  if (cause.cause instanceof Error) return reasonOf(cause.cause)
  return cause.message || (code ?? cause.name)
}
