import type { Provider } from '../provider-limits/provider-limits.ts'
import type { ProviderPriority } from '../provider-limits/provider-limiter.ts'
import type { TranscriptLine } from '../mail-session.ts'
import type { MailApi } from './mail-api.ts'

/** Clouds of Microsoft 365, each with API origins of its own. */
export type GraphCloud = 'global' | 'gcc-high' | 'dod' | 'china'

/** Login at a mail API. */
export interface MailApiLogin {
  /** Mailbox: an email address, which may differ from the address of the token's user. */
  user: string
  accessToken: string
  /** True for the mailbox of the token's user, which Graph finds without its address. */
  own?: boolean
}

export interface LoginOptions {
  /** True after the API has rejected the last token: bypasses caches. */
  fresh: boolean
  signal: AbortSignal
}

/** Access of this process to one account at a mail API. */
export interface MailApiAccess {
  readonly provider: Provider
  readonly account: string
  /** Id of the OAuth2 application. Its accounts share limits. */
  readonly application: string
  /** Cloud of a Graph mailbox; defaults to `global`. */
  readonly cloud?: GraphCloud
  /** Reads a valid login. Called before each request, so it must cache. @throws AppError */
  readonly login: (options: LoginOptions) => Promise<MailApiLogin>
}

/** Opens the protocol log of one request. */
export type OpenRequestLog = () => (line: TranscriptLine) => void

/** Order, timeout and log of the requests of one `MailApi`. */
export interface MailApiUse {
  /** `caller`: an API request waits. `sync`: changes. `initial-sync`: the first full round. */
  readonly priority: ProviderPriority
  /** Remaining milliseconds of the API request. Absent: no limit but the signal. */
  readonly timeoutMs?: number
  /** Protocol log of the requests. Absent: they are not logged. */
  readonly openLog?: OpenRequestLog
}

/**
 * Creates a client. Creation is cheap and makes no request: create a client per command. The
 * clients of an account share limits, logins and, through `access`, what is cached per object.
 */
export type CreateMailApi = (access: MailApiAccess, use: MailApiUse) => MailApi
