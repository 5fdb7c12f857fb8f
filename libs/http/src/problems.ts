import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { AppError, type ErrorKind } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'

/** What an HTTP client is told of an error. Interface spec, "Error body". */
export interface Problem {
  status: number
  body: { statusCode: number; error: string; message: string; code?: string } & Record<
    string,
    unknown
  >
}

const statusOf: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'too-large': 413,
  unprocessable: 422,
  'rate-limited': 429,
  internal: 500,
  // A mail server's refusal of what the caller asked for, such as a folder that exists already.
  rejected: 400,
  unreachable: 503,
  unavailable: 503,
  // Somebody else holds the account by now: the next try finds them.
  stale: 503,
  timeout: 504,
}

/** Codes whose status is not that of their kind. */
const statusOfCode: Record<string, number> = { UploadFail: 502, OAuthTokenRejected: 403 }

/** An error as an answer. The text of an error without a meaning never leaves: it may name hosts or secrets. */
export function describeProblem(error: unknown): Problem {
  if (error instanceof AppError) {
    const { kind, code, message, extras } = error
    const status = (code === undefined ? undefined : statusOfCode[code]) ?? statusOf[kind]
    return problem(status, message, { ...(code === undefined ? {} : { code }), ...extras })
  }
  // A path that is no UTF-8 after percent-decoding; express throws this before any of our code runs.
  if (error instanceof URIError) return problem(400, 'The path is not properly encoded')
  const status = clientStatusOf(error)
  return status === undefined
    ? problem(500, 'Internal Server Error')
    : problem(status, phraseOf(status))
}

function problem(status: number, message: string, extras: Record<string, unknown> = {}): Problem {
  return { status, body: { ...extras, statusCode: status, error: phraseOf(status), message } }
}

function phraseOf(status: number): string {
  return STATUS_CODES[status] ?? 'Error'
}

/** The status of an error that express itself blames on the client. */
function clientStatusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error)) return undefined
  const { status } = error
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined
}

export type SendProblem = (
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
) => void

/** The one place where an error becomes an HTTP answer. What it hides from the client, it logs. */
export function createProblemSender(log: Logger): SendProblem {
  return (request, response, error) => {
    const { status, body } = describeProblem(error)
    const requestId = response.getHeader('X-Request-Id')
    if (status === 500) log.error({ err: error, requestId }, 'a request failed')
    else if (status > 500 && hasCause(error))
      log.warn({ err: error, requestId }, 'a request was put off')
    if (response.headersSent) {
      // Part of an answer is out: only a broken connection can tell the client that the rest is missing.
      request.socket.destroy()
      return
    }
    if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer')
    response.statusCode = status
    response.setHeader('Content-Type', 'application/json; charset=utf-8')
    response.end(JSON.stringify(body))
  }
}

/** An error that stands for another one, which only the log hears of. */
function hasCause(error: unknown): boolean {
  return error instanceof Error && error.cause !== undefined
}

/** No such path, or not with this method: the spec has no 405. */
export function notFound(): AppError {
  return new AppError('not-found', 'Not Found')
}
