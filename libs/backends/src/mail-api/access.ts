import type { Provider } from '../provider-limits/provider-limits.ts'
import type { ProviderPriority } from '../provider-limits/provider-limiter.ts'
import type { TranscriptLine } from '../mail-session.ts'
import type { MailApi } from './mail-api.ts'

/** Clouds of Microsoft 365. Each cloud has its own API origins. */
export type GraphCloud = 'global' | 'gcc-high' | 'dod' | 'china'

/** Login of an account at the mail API of a provider. */
export interface MailApiLogin {
  /**
   * Mailbox that the login of an account gives access to: an email address, which may differ from
   * the email address of the token's user.
   */
  user: string
  accessToken: string
  /**
   * True if the mailbox of a login belongs to the access token's user. The name of such a mailbox
   * in requests to the mail API is `me`.
   */
  own?: boolean
}

export interface LoginOptions {
  /**
   * True after the mail API has rejected the last access token. Caches of access tokens are then
   * bypassed.
   */
  fresh: boolean
  signal: AbortSignal
}

/** Access of this process to one account at the mail API of a provider. */
export interface MailApiAccess {
  readonly provider: Provider
  readonly account: string
  /** Id of the OAuth2 application. The accounts of an application share rate limits. */
  readonly application: string
  /** Cloud of a Graph mailbox; defaults to `global`. */
  readonly cloud?: GraphCloud
  /**
   * Reads a valid login of the account at the mail API. Called before each request to the mail API,
   * so the function must cache the login.
   * @throws AppError
   */
  readonly login: (options: LoginOptions) => Promise<MailApiLogin>
}

/**
 * Starts the protocol log of one request to a mail provider. Returns the function that logs a line.
 */
export type OpenRequestLog = () => (line: TranscriptLine) => void

/** Priority, timeout and log of the requests that one `MailApi` client sends. */
export interface MailApiUse {
  /**
   * Priority of the requests to the mail provider: `caller` while an API request waits for the
   * result, `sync` for reading changes, `initial-sync` for the first full round (listing of all
   * messages).
   */
  readonly priority: ProviderPriority
  /**
   * Remaining time of the API request in milliseconds. If absent, only the abort signal limits the
   * time.
   */
  readonly timeoutMs?: number
  /**
   * Maximum wait of one request to the mail provider for rate limits, and before a repeat, in
   * milliseconds. A request that would wait longer fails. If absent, only `timeoutMs` limits the
   * wait.
   */
  readonly maxWaitMs?: number
  /**
   * Function that starts the protocol log of a request to the mail provider. If absent, requests
   * are not logged.
   */
  readonly openLog?: OpenRequestLog
}

/**
 * Creates a client of a mail API. Creating a client is cheap and sends no request, so each command
 * creates a client. The clients of an account share limits and logins. Clients with one `access`
 * object also share data that is cached per object.
 */
export type CreateMailApi = (access: MailApiAccess, use: MailApiUse) => MailApi
