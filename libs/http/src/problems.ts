import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { defined } from '@posthorn/contracts/defined'
import { AppError, type ErrorKind, toAppError, UnavailableError } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import { BodyError } from './read-body.ts'
import { logReason } from './request-log.ts'

/**
 * HTTP status and body of an error response. See the section "Error body" of the interface spec.
 */
export interface Problem {
  status: number
  body: { statusCode: number; error: string; message: string; code?: string } & Record<
    string,
    unknown
  >
}

const statusByKind: Record<Exclude<ErrorKind, 'provider'>, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  // Status for the error kind `gone`: a link of the administration pages was used or has expired.
  gone: 410,
  'too-large': 413,
  unprocessable: 422,
  'rate-limited': 429,
  internal: 500,
  // Status for the error kind `rejected`: a mail server rejected the request, for example to create
  // a mailbox that already exists.
  rejected: 400,
  unreachable: 503,
  unavailable: 503,
  // Status for the error kind `stale`: another sync-worker holds the account now. If the client
  // repeats the request, the request reaches that sync-worker.
  stale: 503,
  timeout: 504,
}

/**
 * HTTP statuses for those error codes whose status differs from the status of the AppError's kind.
 */
const statusByCode: Record<string, number> = { UploadFail: 502, OAuthTokenRejected: 403 }

/**
 * Maps an error to an HTTP status and body. The text of an error other than AppError is not sent,
 * because it may contain host names or secrets.
 */
export function describeProblem(error: unknown): Problem {
  if (error instanceof AppError) {
    const { code, message, extras } = error
    return problem(statusOf(error), message, { ...defined({ code }), ...extras })
  }
  if (error instanceof UnavailableError) return describeProblem(toAppError(error))
  // Express throws a URIError if the path of a request is not valid UTF-8 after percent-decoding.
  if (error instanceof URIError) return problem(400, 'The path is not properly encoded')
  const status = clientStatusOf(error)
  return status === undefined
    ? problem(500, 'Internal Server Error')
    : problem(status, phraseOf(status))
}

function statusOf(error: AppError): number {
  const { kind, code } = error
  // A request body that did not arrive in time gets the HTTP status 408 (RFC 9110 §15.5.9) instead
  // of 504, because the client was too slow, not another server.
  if (error instanceof BodyError && kind === 'timeout') return 408
  if (kind === 'provider') return passedStatus(error.status)
  return (code === undefined ? undefined : statusByCode[code]) ?? statusByKind[kind]
}

/**
 * Replacements for statuses of a mail provider's response that have another meaning in the API. The
 * API never uses 409.
 */
const statusByProvider: Record<number, number> = { 401: 403, 407: 503, 409: 400 }

/**
 * HTTP status for a failed response of a mail provider. Usually the provider's own status. 503 if
 * the provider's status does not indicate an error.
 */
function passedStatus(status = 503): number {
  if (!Number.isInteger(status) || status < 400 || status > 599) return 503
  return statusByProvider[status] ?? status
}

function problem(status: number, message: string, extras: Record<string, unknown> = {}): Problem {
  return { status, body: { ...extras, statusCode: status, error: phraseOf(status), message } }
}

function phraseOf(status: number): string {
  return STATUS_CODES[status] ?? 'Error'
}

/** Returns the HTTP status that Express or a parser has set on an error, if the status is 4xx. */
function clientStatusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error)) return undefined
  const { status } = error
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined
}

type SendProblem = (request: IncomingMessage, response: ServerResponse, error: unknown) => void

/**
 * Creates the function that sends responses for failed HTTP requests. If the text of an error is
 * withheld from the client, the error is logged.
 */
export function createProblemSender(log: Logger): SendProblem {
  return (request, response, error) => {
    const { status, body } = describeProblem(error)
    const requestId = response.getHeader('X-Request-Id')
    if (status === 500 && !isProviderError(error))
      log.error({ err: error, requestId }, 'request failed')
    else if (status > 500 && hasCause(error))
      log.warn({ err: error, requestId }, 'request failed with 503')
    if (response.headersSent) {
      // The head of the HTTP response was already sent, so no error response is possible. Closing
      // the connection tells the client that the response is incomplete.
      request.socket.destroy()
      return
    }
    if (status === 401) {
      response.setHeader('WWW-Authenticate', 'Bearer')
      logReason(response, error)
    }
    response.statusCode = status
    response.setHeader('Content-Type', 'application/json; charset=utf-8')
    response.end(JSON.stringify(body))
  }
}

/**
 * True for an error of a mail API. The client sees such an error and no operator can repair it, so
 * the error is not logged.
 */
function isProviderError(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'provider'
}

/**
 * True if the error of an HTTP request was caused by another error. Only the log shows that other
 * error.
 */
function hasCause(error: unknown): boolean {
  return error instanceof Error && error.cause !== undefined
}

/**
 * Creates the error for an unknown path or method of an HTTP request. The status is always 404,
 * because the interface spec has no 405.
 */
export function notFound(): AppError {
  return new AppError('not-found', 'Not Found')
}
