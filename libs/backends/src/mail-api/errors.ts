import { AppError, type ErrorKind, type ErrorExtras } from '@posthorn/errors'

/**
 * Kind and code of each failure of a mail provider's API as API clients see it (interface spec,
 * "Provider-mapped errors"). Failures without a code are described by their message. For providers
 * whose status is passed through see `MailApiErrorOptions.passesStatus`.
 */
const failures = {
  /** Message that was deleted, moved out of the mailbox, or never existed. */
  'message-missing': ['not-found', 'MessageNotFound'],
  /** Message id that the mail provider cannot read. */
  'unreadable-id': ['invalid', 'InvalidMessageId'],
  'folder-missing': ['not-found', 'FolderNotFound'],
  /** Label that is not in the list of folders of the mailbox. */
  'label-missing': ['not-found', 'NotFound'],
  'part-missing': ['not-found', 'MessageNotFound'],
  /** Mailbox without a trash folder. */
  'trash-missing': ['not-found', 'TrashNotFound'],
  /**
   * Expired or deleted watch of a mailbox: create a new watch and read all change lists (feeds).
   */
  'watch-missing': ['not-found', 'NotFound'],
  /**
   * Cursor whose later changes are no longer available at the provider: start a full round. See
   * `warning`.
   */
  'stale-cursor': ['unprocessable', undefined],
  /** Expired page token of a message list or search: start with the first page. */
  'stale-page': ['invalid', 'SearchCursorExpired'],
  /**
   * Operation that the mail provider, the placement or the granted scopes do not have. Permanent.
   */
  'unsupported-operation': ['invalid', 'UnsupportedOperation'],
  'unsupported-term': ['invalid', 'UnsupportedSearchTerm'],
  'folder-exists': ['rejected', 'ALREADYEXISTS'],
  /**
   * Any other refusal of a request with a 4xx status, also 409. Permanent; the text is the
   * provider's.
   */
  refused: ['rejected', undefined],
  /** Rate or concurrency limit of the mail provider, after waiting within the client. */
  'rate-limited': ['rate-limited', undefined],
  /** Storage of the mailbox is used up. A retry needs action by the owner of the mailbox. */
  'mailbox-full': ['rate-limited', 'QuotaExceeded'],
  /** Access token rejected by the mail provider although the token was renewed once. */
  'token-rejected': ['forbidden', 'OAuthTokenRejected'],
  /** Access token rejected for another reason than the token itself: the mailbox has no licence. */
  unlicensed: ['forbidden', 'OAuthTokenRejected'],
  /** Scope, policy or delegation does not permit the request to the mail provider. */
  'access-denied': ['forbidden', 'AccessDenied'],
  /** User without a mailbox or licence, or with a mailbox outside the provider's cloud. */
  'mailbox-disabled': ['forbidden', 'MailboxNotEnabled'],
  'send-denied': ['forbidden', 'SendAsDenied'],
  /** The provider blocks sending until the owner of the mailbox acts, such as by a verification. */
  'send-blocked': ['forbidden', 'AccessDenied'],
  'invalid-recipients': ['invalid', 'InvalidRecipients'],
  'too-large': ['too-large', 'MessageTooLarge'],
  /** Watch (notifications of a mailbox) refused by the provider. Polling continues. */
  'watch-refused': ['rejected', 'SubscriptionSetupError'],
  /** Network failure, 5xx, or a response of the provider that cannot be read. Temporary. */
  unavailable: ['unreachable', 'ConnectionError'],
} as const satisfies Record<string, readonly [ErrorKind, string | undefined]>

/** Reason of a failed call of `MailApi`, the API of a mail provider. */
export type MailApiFailure = keyof typeof failures

/** Failures of a mail API that have their own kind and code whatever status the provider sent. */
const translated: ReadonlySet<MailApiFailure> = new Set([
  'message-missing',
  'part-missing',
  'folder-missing',
  'rate-limited',
  'token-rejected',
  'unlicensed',
  // Failures of a mail API that do not result from client requests.
  'stale-cursor',
  'watch-missing',
  'watch-refused',
])

/**
 * Error text for API clients where the provider's own text is secondary. Interface spec, "403
 * messages".
 */
const requestFailed = 'OAuth2 request failed'

export interface MailApiErrorOptions extends ErrorOptions {
  /**
   * Delay in milliseconds that the provider requests before a retry, at most 24 h. Absent if the
   * provider names no readable delay: back off. With `rate-limited` and `unavailable`.
   */
  retryAfterMs?: number
  /** HTTP status of the provider's response. Absent without a response. */
  status?: number
  /**
   * True for Gmail: API clients get the provider's status without a code (kind `provider`), except
   * for missing messages and folders, rate limits and rejected tokens.
   */
  passesStatus?: boolean
  /** Value of `syncWarning` in `GET /v1/changes`, for the failure `stale-cursor`. */
  warning?: string
  /** True for a successful response of a provider whose members are missing or of another type. */
  incomplete?: boolean
}

/**
 * Failure of a provider's mail API. `kind`, `code` and `message` are for API clients and follow
 * from `failure`; callers decide by `failure`. Without a code, `info.response` has the text of the
 * provider if `message` does not.
 */
export class MailApiError extends AppError {
  override name = 'MailApiError'
  readonly failure: MailApiFailure
  readonly retryAfterMs: number | undefined
  readonly warning: string | undefined
  /**
   * True for an incomplete response of the provider, as `MailApiErrorOptions.incomplete`: a repeat
   * of the request may be complete.
   */
  readonly incomplete: boolean
  /** True after `depositDraft` if an incomplete draft could not be removed from the mailbox. */
  leavesDraft = false

  /**
   * Creates the error. `text`: message of the provider, or the reason of a failure without a
   * response.
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

/** Failure of a mail API: a successful response whose members are missing or of another type. */
export function incompleteResponse(text: string): MailApiError {
  return new MailApiError('unavailable', text, { incomplete: true })
}

/**
 * True if the error is a failure of a mail API, and the kind of failure is `failure` if that is
 * set.
 */
export function isMailApiError(error: unknown, failure?: MailApiFailure): error is MailApiError {
  return error instanceof MailApiError && (failure === undefined || error.failure === failure)
}
