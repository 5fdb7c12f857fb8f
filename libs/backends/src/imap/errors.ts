import { AppError, type ErrorKind } from '@posthorn/errors'
import type { ImapFlowError } from 'imapflow'
import { rejectsCredentials } from './login-response.ts'
import { brief } from './text.ts'

/** RFC 5530 §3 and what providers add: the server is in trouble or had enough, which says nothing about us. */
const temporaryCodes = new Set(['UNAVAILABLE', 'SERVERBUG', 'INUSE', 'THROTTLED'])

/** RFC 5530 §3: credentials that were good are so no longer. */
const expiredCodes = new Set(['AUTHENTICATIONFAILED', 'EXPIRED'])

/** RFC 5530 §3; RFC 9051 §7.1 of a mailbox that messages should go to. */
const missingCodes = new Set(['NONEXISTENT', 'TRYCREATE'])

/** What Exchange answers to whom it let in and then does not know. */
const notConnected = /authenticated but not connected/i

/** imapflow's own codes for what the rest of the world calls otherwise. */
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

/** What a tagged NO or BAD, or a BYE, said. */
interface ServerResponse {
  status?: string
  code?: string
  text: string
}

/** An error of connecting or logging in: refused credentials, or a server that could not be asked. */
export function connectError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const failure = error as ImapFlowError
  const answer = serverResponse(failure)
  // imapflow's own words, without a code: neither XOAUTH2 nor OAUTHBEARER for a token, say.
  if (failure.message === 'Unsupported authentication mechanism')
    return new AppError('unauthorized', 'The mail server has no login for such credentials', {
      code: 'AUTHENTICATIONFAILED',
      cause: error,
    })
  if (answer.status === undefined && !failure.authenticationFailed)
    return unreachableError(failure, answer)
  const kind =
    rejectsCredentials(answer) && failure.code !== 'ETHROTTLE' ? 'unauthorized' : 'unreachable'
  const fallback = kind === 'unauthorized' ? 'AUTHENTICATIONFAILED' : 'UNAVAILABLE'
  return responseError(kind, { ...answer, code: answer.code ?? fallback }, error)
}

/**
 * Whether a refusal of what is asked right after a login means that it was none (Exchange lets in whom it then does not know), or that the
 * server is in trouble.
 */
export function invalidatesLogin(failure: ImapFlowError): boolean {
  const { text, code = '' } = serverResponse(failure)
  const looking = /^\S+ (NAMESPACE|LIST)\b/i.test(failure.executedCommand ?? '')
  return notConnected.test(text) || (looking && temporaryCodes.has(code))
}

/** An error of a command on a connection that is logged in. */
export function commandError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const failure = error as ImapFlowError
  const answer = serverResponse(failure)
  if (failure.mailboxMissing || failure.code === 'NotFound') return mailboxNotFound(error)
  if (answer.status === undefined || failure.code === 'ETHROTTLE')
    return unreachableError(failure, answer)
  if (missingCodes.has(answer.code ?? '')) return mailboxNotFound(error)
  return responseError(rejectionKind(answer), answer, error)
}

function rejectionKind({ code = '', text }: ServerResponse): ErrorKind {
  if (notConnected.test(text) || expiredCodes.has(code)) return 'unauthorized'
  return temporaryCodes.has(code) ? 'unreachable' : 'rejected'
}

/**
 * An error of a command about a mailbox itself. Its refusal is told as it came, also that there is no such mailbox or that the server
 * cannot do it now; where the server gave no code it has the one given.
 */
export function mailboxError(error: unknown, fallbackCode?: string): AppError {
  if (error instanceof AppError) return error
  const general = commandError(error)
  const answer = serverResponse(error as ImapFlowError)
  const throttled = (error as ImapFlowError).code === 'ETHROTTLE'
  const code = answer.code ?? fallbackCode
  return answer.status === undefined || throttled || general.kind === 'unauthorized'
    ? general
    : responseError('rejected', { ...answer, ...(code === undefined ? {} : { code }) }, error)
}

/** Whether the server answered, and with a refusal: the connection is as good as before. */
export function isRejection(error: AppError): boolean {
  return error.extras.info?.['status'] !== undefined && error.code !== 'THROTTLED'
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

/** Connecting ended early, by its time being over or by somebody's wish. */
export function connectAborted({ reason }: AbortSignal): AppError {
  if ((reason as Partial<Error> | undefined)?.name === 'TimeoutError')
    return timedOut('The mail server took too long to let us in')
  return new AppError('unreachable', 'Connecting was called off', {
    code: 'ECANCELED',
    cause: reason,
  })
}

export function mailboxNotFound(cause: unknown): AppError {
  return new AppError('not-found', 'The folder does not exist', { code: 'FolderNotFound', cause })
}

function unreachableError(failure: ImapFlowError, answer: ServerResponse): AppError {
  const bye = failure.reason
  const code =
    bye === undefined
      ? (codeNames.get(failure.code ?? '') ?? failure.code ?? 'ConnectionError')
      : 'BYE'
  const message =
    bye === undefined
      ? `The mail server cannot be reached: ${failure.message}`
      : `The mail server closed the connection: ${bye}`
  const response = bye ?? answer.text
  return new AppError('unreachable', brief(message), {
    code,
    cause: failure,
    ...(response === '' ? {} : { extras: { info: { response: brief(response) } } }),
  })
}

function responseError(
  kind: ErrorKind,
  { status, code, text }: ServerResponse,
  cause: unknown,
): AppError {
  return new AppError(
    kind,
    text === '' ? 'The mail server refused' : `The mail server refused: ${brief(text)}`,
    {
      ...(code === undefined ? {} : { code }),
      cause,
      extras: { info: { response: brief(text), ...(status === undefined ? {} : { status }) } },
    },
  )
}

/** imapflow leaves the answer as a text or as a parsed line, depending on the command. */
function serverResponse(failure: ImapFlowError): ServerResponse {
  const response: unknown = failure.response
  const text = failure.responseText ?? (typeof response === 'string' ? response : '')
  const code = failure.serverResponseCode ?? codeIn(response)
  const status = failure.responseStatus ?? (failure.authenticationFailed ? 'NO' : undefined)
  return {
    text,
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code: code.toUpperCase() }),
  }
}

interface ParsedLine {
  attributes?: ({ section?: ({ value?: unknown } | null)[] } | null)[]
}

function codeIn(response: unknown): string | undefined {
  if (typeof response !== 'object' || response === null) return undefined
  const code = (response as ParsedLine).attributes?.[0]?.section?.[0]?.value
  return typeof code === 'string' ? code : undefined
}
