import { AppError, type ErrorKind, type ErrorExtras } from '@posthorn/errors'

/**
 * Error kind and error code that API clients get for each failure of a mail provider's API
 * (interface spec, "Provider-mapped errors"). Failures without a code are described by their
 * message. For providers whose HTTP status is passed on see `MailApiErrorOptions.passesStatus`.
 */
const failures = {
  /**
   * Failure of a mail provider: message that was deleted, moved out of the mailbox, or never
   * existed.
   */
  'message-missing': ['not-found', 'MessageNotFound'],
  /** Failure of a mail provider: message id that the provider cannot read. */
  'unreadable-id': ['invalid', 'InvalidMessageId'],
  'folder-missing': ['not-found', 'FolderNotFound'],
  /** Failure of a mail provider: label that is not in the list of folders of the mailbox. */
  'label-missing': ['not-found', 'NotFound'],
  'part-missing': ['not-found', 'MessageNotFound'],
  /** Failure of a mail provider: mailbox without a trash folder. */
  'trash-missing': ['not-found', 'TrashNotFound'],
  /**
   * Expired or deleted watch (registration for notifications) of a mailbox. The caller has to
   * create a new watch and read all change lists (feeds).
   */
  'watch-missing': ['not-found', 'NotFound'],
  /**
   * Cursor of a change list (feed) after which the provider no longer knows the changes. The caller
   * has to list all messages again (full round). See `warning`.
   */
  'stale-cursor': ['unprocessable', undefined],
  /**
   * Expired page token of a message list or search. The caller has to start with the first page.
   */
  'stale-page': ['invalid', 'SearchCursorExpired'],
  /**
   * Operation that a mail API does not offer: the provider does not have it, or not for its
   * placement of messages (labels or folders), or the granted scopes do not permit it. Permanent.
   */
  'unsupported-operation': ['invalid', 'UnsupportedOperation'],
  'unsupported-term': ['invalid', 'UnsupportedSearchTerm'],
  'folder-exists': ['rejected', 'ALREADYEXISTS'],
  /**
   * Any other refusal of a request by the mail provider with a 4xx status, including 409.
   * Permanent. The text is from the provider.
   */
  refused: ['rejected', undefined],
  /**
   * Rate limit or concurrency limit of the mail provider that still applied after the client had
   * waited.
   */
  'rate-limited': ['rate-limited', undefined],
  /**
   * Storage of the mailbox is full. A retry fails until the owner of the mailbox deletes messages
   * or gets more storage.
   */
  'mailbox-full': ['rate-limited', 'QuotaExceeded'],
  /** Access token rejected by the mail provider although the token was renewed once. */
  'token-rejected': ['forbidden', 'OAuthTokenRejected'],
  /** Access token that is valid but was rejected because the mailbox has no licence. */
  unlicensed: ['forbidden', 'OAuthTokenRejected'],
  /**
   * Missing permission: a scope, a policy or a delegation does not permit the request to the mail
   * provider.
   */
  'access-denied': ['forbidden', 'AccessDenied'],
  /** User without a mailbox or licence, or whose mailbox is outside of the provider's cloud. */
  'mailbox-disabled': ['forbidden', 'MailboxNotEnabled'],
  'send-denied': ['forbidden', 'SendAsDenied'],
  /**
   * Sending is blocked by the mail provider until the owner of the mailbox acts, for example by a
   * verification.
   */
  'send-blocked': ['forbidden', 'AccessDenied'],
  'invalid-recipients': ['invalid', 'InvalidRecipients'],
  'too-large': ['too-large', 'MessageTooLarge'],
  /**
   * Watch (notifications about a mailbox) that the mail provider refused. The mailbox is polled
   * instead.
   */
  'watch-refused': ['rejected', 'SubscriptionSetupError'],
  /** Network failure, 5xx, or a response of the mail provider that cannot be read. Temporary. */
  unavailable: ['unreachable', 'ConnectionError'],
} as const satisfies Record<string, readonly [ErrorKind, string | undefined]>

/** Reason of a failed call of `MailApi`, the API of a mail provider. */
export type MailApiFailure = keyof typeof failures

/**
 * Failures of a mail API whose own error kind and code are used even if the provider's status is
 * passed on.
 */
const translated: ReadonlySet<MailApiFailure> = new Set([
  'message-missing',
  'part-missing',
  'folder-missing',
  'rate-limited',
  'token-rejected',
  'unlicensed',
  // Stale cursors and failed watches of a mail API do not result from requests of API clients, so
  // their HTTP status is not passed on.
  'stale-cursor',
  'watch-missing',
  'watch-refused',
])

/**
 * Error text for API clients if the mail provider's own text is in `info.response`. Interface spec,
 * "403 messages".
 */
const requestFailed = 'OAuth2 request failed'

export interface MailApiErrorOptions extends ErrorOptions {
  /**
   * Delay in milliseconds that the mail provider requests before a retry, at most 24 h. Absent if
   * the provider requests no readable delay: the caller then uses its own backoff. Set for
   * `rate-limited` and `unavailable`.
   */
  retryAfterMs?: number
  /** HTTP status of the mail provider's response. Absent if there was no response. */
  status?: number
  /**
   * True if API clients get the provider's HTTP status without a code (kind `provider`), as for
   * Gmail. Missing messages and folders, rate limits and rejected tokens always have their own kind
   * and code.
   */
  passesStatus?: boolean
  /** Value of `syncWarning` in `GET /v1/changes`, for the failure `stale-cursor`. */
  warning?: string
  /**
   * True if a successful response of the mail provider lacks members, or has members of a wrong
   * type.
   */
  incomplete?: boolean
}

/**
 * Failure of a provider's mail API. `kind`, `code` and `message` are for API clients and follow
 * from `failure`. Code of this product decides by `failure`. If `message` is not the text of the
 * provider, `info.response` has this text.
 */
export class MailApiError extends AppError {
  override name = 'MailApiError'
  readonly failure: MailApiFailure
  readonly retryAfterMs: number | undefined
  readonly warning: string | undefined
  /**
   * True for an incomplete response of the mail provider, see `MailApiErrorOptions.incomplete`.
   * Another response to the same request may be complete.
   */
  readonly incomplete: boolean
  /** True if `depositDraft` could not remove an incomplete draft from the mailbox. */
  leavesDraft = false

  /**
   * Creates the error of a failed call of a mail API. `text` is the message of the provider, or the
   * reason of a failure without a response.
   */
  constructor(failure: MailApiFailure, text: string, options: MailApiErrorOptions = {}) {
    const { retryAfterMs, warning, incomplete = false, passesStatus = false, ...rest } = options
    const passes = passesStatus && rest.status !== undefined && !translated.has(failure)
    const [kind, code] = passes ? (['provider', undefined] as const) : failures[failure]
    const isGeneric = passes || code === 'OAuthTokenRejected'
    const extras: ErrorExtras = {
      ...(isGeneric && { info: { response: text } }),
      ...(failure === 'rate-limited' &&
        retryAfterMs !== undefined && { ttl: Math.ceil(retryAfterMs / 1_000) }),
    }
    super(kind, isGeneric ? requestFailed : text, { ...rest, code, extras })
    this.failure = failure
    this.retryAfterMs = retryAfterMs
    this.warning = warning
    this.incomplete = incomplete
  }
}

/**
 * Failure of a mail API: the provider sent a successful response that lacks members, or has members
 * of a wrong type.
 */
export function incompleteResponse(text: string): MailApiError {
  return new MailApiError('unavailable', text, { incomplete: true })
}

/**
 * True if the error is a failure of a mail API. With `failure`, true only for the given failure.
 */
export function isMailApiError(error: unknown, failure?: MailApiFailure): error is MailApiError {
  return error instanceof MailApiError && (failure === undefined || error.failure === failure)
}
