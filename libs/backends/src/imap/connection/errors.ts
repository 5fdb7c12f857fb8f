import { defined } from '@posthorn/contracts/defined'
import { AppError, type ErrorKind } from '@posthorn/errors'
import type { ImapFlowError } from 'imapflow'
import { type ServerResponse, rejectsCredentials } from './login-response.ts'
import { brief } from '../text.ts'

/**
 * IMAP response codes that report a failure of the server, unrelated to the request: codes of RFC
 * 5530 §3 and codes of providers.
 */
const temporaryCodes = new Set(['UNAVAILABLE', 'SERVERBUG', 'INUSE', 'THROTTLED'])

/** IMAP response codes for credentials that are no longer valid (RFC 5530 §3). */
const expiredCodes = new Set(['AUTHENTICATIONFAILED', 'EXPIRED'])

/**
 * IMAP response codes for a missing mailbox (RFC 5530 §3) and for a missing destination mailbox
 * (RFC 9051 §7.1).
 */
const missingCodes = new Set(['NONEXISTENT', 'TRYCREATE'])

/**
 * Text with which Exchange rejects commands after the login of a user that Exchange does not know.
 */
const notConnected = /authenticated but not connected/i

/** Error codes of failed IMAP connections, such as ECONNRESET, by error code of imapflow. */
const codeNames = new Map([
  ['NoConnection', 'ECONNRESET'],
  ['EConnectionClosed', 'ECONNRESET'],
  ['StateLogout', 'ECONNRESET'],
  ['ClosedAfterConnectText', 'ECONNRESET'],
  ['ClosedAfterConnectTLS', 'ECONNRESET'],
  ['CONNECT_TIMEOUT', 'ETIMEDOUT'],
  ['GREETING_TIMEOUT', 'ETIMEDOUT'],
  ['UPGRADE_TIMEOUT', 'ETIMEDOUT'],
  ['ETIMEOUT', 'ETIMEDOUT'],
  ['ETHROTTLE', 'THROTTLED'],
])

/**
 * Errors of imapflow if the IMAP server offers no login method for the credentials: neither XOAUTH2
 * nor OAUTHBEARER for a token, or LOGINDISABLED, which may also mean an outage.
 */
const unsupportedLogins = new Map<string, 'unauthorized' | 'unreachable'>([
  ['Unsupported authentication mechanism', 'unauthorized'],
  ['Login is disabled', 'unreachable'],
])

/**
 * Error of connecting or logging in to an IMAP server: `unauthorized` for rejected credentials,
 * otherwise `unreachable`.
 */
export function connectError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const failure = error as ImapFlowError
  const response = serverResponse(failure)
  const unsupported = unsupportedLogins.get(failure.message)
  if (unsupported !== undefined)
    // An unsupported login method leads to an error without IMAP response code, because no login
    // was sent to the IMAP server.
    return new AppError(unsupported, 'The mail server supports no login with these credentials', {
      cause: error,
    })
  if (response.status === undefined && !failure.authenticationFailed)
    return unreachableError(failure, response)
  const kind =
    rejectsCredentials(response) && failure.code !== 'ETHROTTLE' ? 'unauthorized' : 'unreachable'
  const fallback = kind === 'unauthorized' ? 'AUTHENTICATIONFAILED' : 'UNAVAILABLE'
  return responseError(kind, { ...response, code: response.code ?? fallback }, error)
}

/**
 * True if the rejection of a command right after the login means that the login failed or that the
 * server has an outage. Exchange accepts the login of users that it does not know and rejects their
 * commands.
 */
export function invalidatesLogin(failure: ImapFlowError): boolean {
  const { text, code = '' } = serverResponse(failure)
  const looking = /^\S+ (NAMESPACE|LIST)\b/i.test(failure.executedCommand ?? '')
  return notConnected.test(text) || (looking && temporaryCodes.has(code))
}

/** Error of an IMAP command after the login. */
export function commandError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const failure = error as ImapFlowError
  const response = serverResponse(failure)
  if (failure.mailboxMissing || failure.code === 'NotFound') return mailboxNotFound(error)
  if (response.status === undefined || failure.code === 'ETHROTTLE')
    return unreachableError(failure, response)
  if (missingCodes.has(response.code ?? '')) return mailboxNotFound(error)
  return responseError(rejectionKind(response), response, error)
}

function rejectionKind({ code = '', text }: ServerResponse): ErrorKind {
  if (notConnected.test(text) || expiredCodes.has(code)) return 'unauthorized'
  return temporaryCodes.has(code) ? 'unreachable' : 'rejected'
}

/**
 * Error of an IMAP command that creates, renames or deletes a mailbox. A NO response always becomes
 * the error kind `rejected`, with the code of the response or else with `fallbackCode`.
 */
export function mailboxError(error: unknown, fallbackCode?: string): AppError {
  if (error instanceof AppError) return error
  const general = commandError(error)
  const response = serverResponse(error as ImapFlowError)
  const throttled = (error as ImapFlowError).code === 'ETHROTTLE'
  const code = response.code ?? fallbackCode
  return response.status === undefined || throttled || general.kind === 'unauthorized'
    ? general
    : responseError('rejected', defined({ ...response, code }), error)
}

/**
 * True if the error is the rejection of a command by the IMAP server. The connection is still
 * usable.
 */
export function isRejection(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    error.extras.info?.['status'] !== undefined &&
    error.code !== 'THROTTLED'
  )
}

/** Error of a call that needs an extension (capability) which the mail server lacks. */
export function missingExtension(message: string): AppError {
  return new AppError('unprocessable', message, { code: 'MissingServerExtension' })
}

export function messageNotFound(): AppError {
  return new AppError('not-found', 'The message does not exist', { code: 'MessageNotFound' })
}

export function connectionClosed(cause?: Error): AppError {
  if (cause instanceof AppError) return cause
  return new AppError('unreachable', 'The connection to the mail server is closed', {
    code: 'ECONNRESET',
    cause,
  })
}

export function timedOut(message: string): AppError {
  return new AppError('unreachable', message, { code: 'ETIMEDOUT' })
}

/**
 * Error of connecting to an IMAP server after the caller's signal aborted the connection, for
 * example after a timeout.
 */
export function connectAborted({ reason }: AbortSignal): AppError {
  if ((reason as Partial<Error> | undefined)?.name === 'TimeoutError')
    return timedOut('Login to the mail server timed out')
  return new AppError('unreachable', 'Connecting was aborted', {
    code: 'ECANCELED',
    cause: reason,
  })
}

export function mailboxNotFound(cause: unknown): AppError {
  return new AppError('not-found', 'The folder does not exist', { code: 'FolderNotFound', cause })
}

function unreachableError(failure: ImapFlowError, response: ServerResponse): AppError {
  const { reason: bye, code = 'ConnectionError' } = failure
  const reported = bye === undefined ? (codeNames.get(code) ?? code) : 'BYE'
  const message =
    bye === undefined
      ? `The mail server cannot be reached: ${reasonOf(failure, reported)}`
      : `The mail server closed the connection: ${bye}`
  const text = bye ?? response.text
  return new AppError('unreachable', brief(message), {
    code: reported,
    cause: failure,
    extras: text === '' ? {} : { info: { response: brief(text) } },
  })
}

/**
 * OpenSSL error codes about certificates. Their error texts are constant, so they cannot reveal
 * data from the network.
 */
const certificateCodes = /^(?:CERT_|DEPTH_|SELF_SIGNED_|UNABLE_TO_)/

/**
 * Reason of a failed IMAP connection without text from the network. Texts of system errors may
 * contain IP addresses. Texts of parser errors may contain the banner of a server that is no mail
 * server.
 */
function reasonOf({ message }: ImapFlowError, code: string): string {
  if (certificateCodes.test(code)) return message.replace(/;[^]*$/, '')
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? 'the certificate is for another host' : code
}

function responseError(
  kind: ErrorKind,
  { status, code, text }: ServerResponse,
  cause: unknown,
): AppError {
  const response = brief(text)
  const message = text === '' ? 'The mail server refused' : `The mail server refused: ${response}`
  const info = defined({ response, status })
  return new AppError(kind, message, { ...defined({ code }), cause, extras: { info } })
}

/**
 * Response of the IMAP server in an error of imapflow. imapflow provides the response as text or as
 * a parsed line, depending on the command.
 */
function serverResponse(failure: ImapFlowError): ServerResponse {
  const response: unknown = failure.response
  const text = failure.responseText ?? (typeof response === 'string' ? response : '')
  const code = failure.serverResponseCode ?? codeIn(response)
  const status = failure.responseStatus ?? (failure.authenticationFailed ? 'NO' : undefined)
  return defined({ text, status, code: code?.toUpperCase() })
}

interface ParsedLine {
  attributes?: ({ section?: ({ value?: unknown } | null)[] } | null)[]
}

function codeIn(response: unknown): string | undefined {
  if (typeof response !== 'object' || response === null) return undefined
  const code = (response as ParsedLine).attributes?.[0]?.section?.[0]?.value
  return typeof code === 'string' ? code : undefined
}
