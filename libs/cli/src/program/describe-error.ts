import type { PosthornError } from '@posthorn/client'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { connectionLines, remedyOf } from './remedies.ts'

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
    return { lines: connectionLines(error.cause), exitCode: exitCodes.unreachable }
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

/**
 * Text for a server that does not have an operation. The user compares the versions. `server` is
 * undefined if the version cannot be read, such as when no API responds at the URL.
 */
export function unknownOperation({
  server,
  program,
}: {
  server: string | undefined
  program: string
}): string {
  return server === undefined
    ? `the server does not have this operation: check the URL, or use the program in the image of the server (this program has release ${program})`
    : `the server does not have this operation: it has release ${server}, this program ${program}. Use the program in the image of the server.`
}

function describeResponse(error: PosthornError): DescribedError {
  const { status, code, message, fields, requestId, ttl } = error
  const remedy = remedyOf(error)
  // The HTML page of a proxy before the API does not help the user.
  const text = message.trimStart().startsWith('<') ? 'the response is a page of a proxy' : message
  return {
    lines: [
      `${text} (${[status, code].filter(Boolean).join(' ')})`,
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
