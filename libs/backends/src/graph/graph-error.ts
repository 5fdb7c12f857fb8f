import { defined } from '@posthorn/contracts/defined'
import type { ProviderError } from '@posthorn/net/provider-error'
import { MailApiError, type MailApiFailure } from '../mail-api/errors.ts'

/**
 * Failures by error code of Microsoft Graph, in lower case and without a leading "Error": Graph
 * uses several spellings of most codes, with different statuses.
 */
const failures: Readonly<Record<string, MailApiFailure>> = {
  itemnotfound: 'message-missing',
  invalidmailboxitemid: 'message-missing',
  foldernotfound: 'folder-missing',
  syncfoldernotfound: 'folder-missing',
  invalididmalformed: 'unreadable-id',
  accessdenied: 'access-denied',
  authorization_requestdenied: 'access-denied',
  mailboxnotenabledforrestapi: 'mailbox-disabled',
  quotaexceeded: 'mailbox-full',
  quotaexceededexception: 'mailbox-full',
  executesearchstaledata: 'stale-page',
  invalidrecipients: 'invalid-recipients',
  messagesizeexceeded: 'too-large',
  requestentitytoolarge: 'too-large',
  maximumrequestlengthexceeded: 'too-large',
  sendasdenied: 'send-denied',
  exceededmessagelimit: 'rate-limited',
  messagesubmissionblocked: 'send-blocked',
  applicationthrottled: 'rate-limited',
  toomanyrequests: 'rate-limited',
  activitylimitreached: 'rate-limited',
  toomanyobjectsopened: 'rate-limited',
  folderexists: 'folder-exists',
  syncstatenotfound: 'stale-cursor',
  resyncrequired: 'stale-cursor',
  syncstateinvalid: 'stale-cursor',
  invaliddeltatoken: 'stale-cursor',
  // Graph reports a new mailbox as unknown for up to 15 minutes after its creation.
  invaliduser: 'unavailable',
  nonexistentmailbox: 'unavailable',
  request_resourcenotfound: 'unavailable',
  resourcenotfound: 'unavailable',
  mailboxmoveinprogress: 'unavailable',
  mailboxstoreunavailable: 'unavailable',
  mailboxinfostale: 'unavailable',
  serverbusy: 'unavailable',
  internalservertransienterror: 'unavailable',
  timeoutexpired: 'unavailable',
  // Error code that Graph uses for subscriptions only. See `wrappedFailure`.
  extensionerror: 'watch-refused',
}

/**
 * Error code for Graph's limit on sending. Graph sends no retry time with this code. The limit may
 * last up to 24 h.
 */
const sendingLimit = 'exceededmessagelimit'
const hourMs = 3_600_000

/**
 * Value of `syncWarning` when Graph has dropped the state of a delta, which lists the changes of a
 * folder.
 */
const staleWarning = 'syncStateNotFound'

/**
 * Converts an error response of Graph to a failure, by its error code, or by its HTTP status if the
 * code is unknown.
 */
export function graphError(error: ProviderError): MailApiError {
  const { status, code, message } = error
  const isSendingLimit = normalized(code) === sendingLimit
  const retryAfterMs = error.retryAfterMs ?? (isSendingLimit ? hourMs : undefined)
  const failure = failureOf(error)
  const warning = failure === 'stale-cursor' ? staleWarning : undefined
  return new MailApiError(
    failure,
    message,
    defined({ status, retryAfterMs, warning, cause: error }),
  )
}

function failureOf(error: ProviderError): MailApiFailure {
  const { status, code } = error
  if (isRedirect(error)) return 'unavailable'
  return wrappedFailure(error) ?? failures[normalized(code)] ?? byStatus(status, code)
}

/**
 * True for a redirect. Graph documents none for these requests, so a server in front of Graph sent
 * the response. A redirect does not show whether the request took effect.
 */
function isRedirect({ status }: ProviderError): boolean {
  return status < 400
}

/**
 * Converts an error response of Graph to a request about a subscription, like `graphError`. An
 * object that Graph reports as missing is the subscription.
 */
export function subscriptionError(error: ProviderError): MailApiError {
  const generic = graphError(error)
  const isTemporary =
    isRedirect(error) ||
    error.status === 429 ||
    wrappedFailure(error) !== undefined ||
    (error.status >= 500 && !isExtension(error.code))
  if (isTemporary || generic.code === 'OAuthTokenRejected') return generic
  const failure = error.status === 404 ? 'watch-missing' : 'watch-refused'
  return new MailApiError(failure, error.message, { status: error.status, cause: error })
}

/** True if the Graph mailbox had too many open objects (OfficeDev/outlook-dev-docs issue 144). */
export function isTooManyOpen({ code }: ProviderError): boolean {
  return normalized(code) === 'toomanyobjectsopened'
}

function isExtension(code: string | undefined): boolean {
  return normalized(code) === 'extensionerror'
}

/** Temporary HTTP statuses as text in the message of an `ExtensionError` of Graph. */
const temporaryStatuses =
  /Status Code: (?:ServiceUnavailable|TooManyRequests|InternalServerError|BadGateway|GatewayTimeout)\b/i

/**
 * Failure of an `ExtensionError` of Graph whose text contains a temporary status. The HTTP status
 * of such a response has no meaning and may be 401 or 403. An `ExtensionError` with another status
 * in its text means that the subscription was refused, and never that the login was.
 */
function wrappedFailure({ code, message }: ProviderError): MailApiFailure | undefined {
  return isExtension(code) && temporaryStatuses.test(message) ? 'unavailable' : undefined
}

function normalized(code = ''): string {
  return code.toLowerCase().replace(/^error/, '')
}

/**
 * True for a Graph response without an error code, or with a code that stands for an unknown error.
 */
function isUnnamed(code: string | undefined): boolean {
  return ['', 'unknownerror'].includes(normalized(code))
}

function byStatus(status: number, code: string | undefined): MailApiFailure {
  // A status 401 of Graph without a code does not mean a rejected token
  // (microsoftgraph/microsoft-graph-docs issue 6968).
  if (status === 401) return isUnnamed(code) ? 'unlicensed' : 'token-rejected'
  if (status === 403) return 'access-denied'
  if (status === 410) return 'stale-cursor'
  if (status === 413) return 'too-large'
  if (status === 429) return 'rate-limited'
  // Responses without the JSON of Graph are temporary failures: status 400 is transient
  // (twentyhq/twenty pull request 18726), and status 404 comes from a server in front of Graph.
  const isGateway = code === undefined && (status === 400 || status === 404)
  return status >= 500 || isGateway ? 'unavailable' : 'refused'
}
