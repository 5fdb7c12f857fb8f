import { defined } from './defined.ts'
import { authenticationError, connectError } from './events/account.ts'
import { exportFailed } from './events/exports.ts'
import { messageDeliveryError, messageFailed } from './events/sending.ts'
import type { LastError } from './schemas/account.ts'

/*
 * Failures as tenants may read them. A tenant chooses mail servers, so the reason of a failed
 * connection would show which hosts and ports of the operator's network are open, closed or
 * filtered, and what they send. A rejected login proves a mail server: its code stays, the text of
 * the reply may name hosts of the operator. Replies to later commands stay.
 */

/**
 * Error that tenants (callers with a restricted access token) see for every mail server to which
 * the connection failed, regardless of the reason.
 */
export const unusableServer = {
  error: 'The mail server cannot be used',
  code: 'ECONNECTION',
} as const

/**
 * Text that tenants (callers with a restricted access token) see instead of a mail server's reply
 * to a login. The reply code of the mail server is shown next to the text.
 */
const rejectedLogin = 'The mail server rejected the login'

/**
 * Pattern of error codes from the network, TLS, the response parser and the egress policy. All
 * other codes of account errors have a cause inside Posthorn.
 */
const connectionCode = /^(?:[A-Z][A-Z0-9_-]*|ParserError\w*|ConnectionError)$/

/**
 * Codes in mail server replies to a login or a later command. The codes are from RFC 5530 §3, RFC
 * 9051 §7.1 and mail providers.
 */
const replyCodes = new Set([
  'ALERT',
  'AUTHENTICATIONFAILED',
  'AUTHORIZATIONFAILED',
  'CANNOT',
  'CLIENTBUG',
  'CONTACTADMIN',
  'CORRUPTION',
  'EAUTH',
  'EXPIRED',
  'INUSE',
  'LIMIT',
  'NONEXISTENT',
  'NOPERM',
  'OVERQUOTA',
  'PRIVACYREQUIRED',
  'REFERRAL',
  'SERVERBUG',
  'THROTTLED',
  'TRYCREATE',
  'UNAVAILABLE',
  'WEBALERT',
])

/**
 * Last error of an account, reduced for tenants (callers with a restricted access token). The
 * reason of a failed connection and the text of a reply to the login are removed.
 */
export function tenantLastError(lastError: LastError): LastError {
  const { serverResponseCode: code } = lastError
  if (isOfThisSystem(lastError)) return lastError
  return isFailedConnection(lastError)
    ? { response: unusableServer.error, serverResponseCode: unusableServer.code }
    : defined({ response: rejectedLogin, serverResponseCode: code })
}

/**
 * True if an error of an account occurred before the mail server replied to the login. Tenants must
 * not see the reason of such an error.
 */
export function isFailedConnection(lastError: LastError): boolean {
  const { serverResponseCode: code, description } = lastError
  if (isOfThisSystem(lastError)) return false
  // A failed connection to a mail server always gives an error with a code. An error without a code
  // but with a description comes from a reply of the mail server.
  return code === undefined ? description === undefined : !replyCodes.has(code)
}

/**
 * True for errors of token endpoints, mail APIs and Posthorn itself. Such errors need not be
 * hidden, because customers (tenants) do not choose these servers.
 */
function isOfThisSystem({ serverResponseCode: code, tokenRequest }: LastError): boolean {
  return tokenRequest !== undefined || (code !== undefined && !connectionCode.test(code))
}

/**
 * Error of a failed export of messages, reduced for tenants (callers with a restricted access
 * token). Errors of Posthorn have a code that names their cause; all other errors are errors of the
 * mail server.
 */
export function tenantExportError(failure: { error: string; errorCode?: string | undefined }): {
  error: string
  errorCode?: string
} {
  const { error: response, errorCode: serverResponseCode } = failure
  const visible = tenantLastError(defined({ response, serverResponseCode }))
  return defined({ error: visible.response ?? '', errorCode: visible.serverResponseCode })
}

/** Failure of an attempt to send a message, as the API shows it and events contain it. */
export interface SendingFailure {
  message: string
  code?: string
  response?: string
  responseCode?: number
  command?: string
}

/**
 * SMTP commands before the login. Replies to these commands may come from a server of another
 * protocol whose replies look like SMTP.
 */
const connectionSteps = new Set(['CONN', 'EHLO', 'HELO', 'LHLO', 'STARTTLS'])
/**
 * Pattern of error codes from the network, TLS and the egress policy. Used for sending failures
 * that name no SMTP command.
 */
const networkCode =
  /^(?:E(?:AI_|CONN|DNS|EGRESS|HOST|NET|NOTFOUND|PIPE|PROTO|PROXY|SOCKET|TIMEDOUT|TLS)|ERR_|CERT_|DEPTH_|SELF_SIGNED_|UNABLE_TO_)/

/**
 * Failure of an attempt to send a message, reduced for tenants (callers with a restricted access
 * token). The reason of a failed connection and the text of a reply to the login are removed.
 */
export function tenantFailure<F extends SendingFailure>(failure: F): F | SendingFailure {
  const { command, code, responseCode, response } = failure
  // A failed login to an SMTP server without a reply is an error inside Posthorn: the account has
  // no credentials for the login.
  const isReply = response !== undefined || responseCode !== undefined
  if (isReply && (code === 'EAUTH' || command?.startsWith('AUTH')))
    return defined({ message: rejectedLogin, code, responseCode, command })
  const isConnecting =
    command === undefined
      ? responseCode === undefined && networkCode.test(code ?? '')
      : connectionSteps.has(command)
  return isConnecting && code !== 'EAUTH'
    ? { message: unusableServer.error, code: unusableServer.code }
    : failure
}

/**
 * Pattern of error texts in the event `messageFailed` that report a rejected login. The error text
 * contains the reply code.
 */
const invalidLogin = /^Invalid login\b(?:[^0-9]{0,20}([45]\d\d)\b)?/

/**
 * Pattern of error texts in the event `messageFailed` for errors after the SMTP greeting. Such
 * errors need not be hidden.
 */
const errorsAfterGreeting =
  /^(?:Can't send mail|Message failed|Mail command failed|Recipient command failed|Data command failed|The (?:account|application|gateway|last attempt|message|provider|recipient|sender)\b)/

type EventData = Readonly<Record<string, unknown>>

/**
 * Functions that reduce the data of an event for a webhook target that a tenant (customer) has set,
 * by event name. Only events that report failures of servers have a function.
 */
const tenantData: Readonly<Record<string, (data: EventData) => EventData>> = {
  [connectError.name]: ofAccount,
  [authenticationError.name]: ofAccount,
  [messageDeliveryError.name]: ofAttempt,
  [messageFailed.name]: ({ error, ...rest }) => ({ ...rest, error: failedText(String(error)) }),
  [exportFailed.name]: ({ error, errorCode, ...rest }) => ({
    ...rest,
    ...tenantExportError({ error: String(error), errorCode: errorCode as string | undefined }),
  }),
}

function failedText(error: string): string {
  const [login, code] = invalidLogin.exec(error) ?? []
  if (login !== undefined) return code ? `${rejectedLogin}: ${code}` : rejectedLogin
  return errorsAfterGreeting.test(error) ? error : unusableServer.error
}

function ofAccount(data: EventData): EventData {
  const visible = tenantLastError(data as unknown as LastError)
  return visible === (data as unknown) ? data : { ...visible }
}

function ofAttempt(data: EventData): EventData {
  const { error, errorCode, smtpResponse, smtpResponseCode, smtpCommand, ...rest } = data
  const failure = defined({
    message: String(error),
    code: errorCode as string | undefined,
    response: smtpResponse as string | undefined,
    responseCode: smtpResponseCode as number | undefined,
    command: smtpCommand as string | undefined,
  })
  const visible = tenantFailure(failure)
  if (visible === failure) return data
  const { message, code, responseCode, command } = visible
  const shown = { errorCode: code, smtpResponseCode: responseCode, smtpCommand: command }
  return { ...rest, error: message, ...defined(shown) }
}

/**
 * True if a webhook target that a tenant (customer) has set may receive a different body of the
 * event than other targets.
 */
export function hasTenantBody(event: string): boolean {
  return Object.hasOwn(tenantData, event)
}

/**
 * Webhook body of an event for a target that a tenant (customer) has set. Null if the target gets
 * the unchanged body of the event.
 */
export function tenantBody(event: string, body: string): string | null {
  const toVisible = hasTenantBody(event) ? tenantData[event] : undefined
  if (!toVisible) return null
  const envelope = JSON.parse(body) as { data: EventData }
  const data = toVisible(envelope.data)
  const changed = JSON.stringify({ ...envelope, data })
  return changed === body ? null : changed
}
