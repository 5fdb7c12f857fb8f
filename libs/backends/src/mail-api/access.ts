import type { Provider } from '../provider-limits/provider-limits.ts'
import type { ProviderPriority } from '../provider-limits/provider-limiter.ts'
import type { TranscriptLine } from '../mail-session.ts'
import type { MailApi } from './mail-api.ts'

/** Clouds of Microsoft 365, each with API origins of its own. */
export type GraphCloud = 'global' | 'gcc-high' | 'dod' | 'china'

/** Login at the mail API of a provider. */
export interface MailApiLogin {
  /**
   * Mailbox of the login: an email address, which may differ from the address of the token's user.
   */
  user: string
  accessToken: string
  /** True for the mailbox of the access token's user, which has the name `me`. */
  own?: boolean
}

export interface LoginOptions {
  /** True after the mail API has rejected the last access token: bypasses caches of tokens. */
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
   * Reads a valid login of the account. Called before each request, so it must cache. @throws
   * AppError
   */
  readonly login: (options: LoginOptions) => Promise<MailApiLogin>
}

/** Opens the protocol log of one request to a mail provider. */
export type OpenRequestLog = () => (line: TranscriptLine) => void

/** Priority, timeout and log of the requests of one `MailApi`. */
export interface MailApiUse {
  /**
   * Priority of the requests. `caller`: an API request waits. `sync`: changes. `initial-sync`: the
   * first full round.
   */
  readonly priority: ProviderPriority
  /** Remaining milliseconds of the API request. Absent: no limit but the abort signal. */
  readonly timeoutMs?: number
  /** Protocol log of the requests to the mail provider. Absent: the requests are not logged. */
  readonly openLog?: OpenRequestLog
}

/**
 * Creates a client of a mail API. Creation is cheap and makes no request: create a client per
 * command. The clients of an account share limits, logins and, through `access`, data cached per
 * access object.
 */
export type CreateMailApi = (access: MailApiAccess, use: MailApiUse) => MailApi
