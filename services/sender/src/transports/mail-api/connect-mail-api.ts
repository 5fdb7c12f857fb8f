import type { CreateMailApi, LoginOptions, MailApi } from '@posthorn/backends/mail-api'
import { apiAccountTypes, type Provider } from '@posthorn/contracts/account-types'
import { endOfUse, getCredentials } from '@posthorn/contracts/commands/credentials'
import { defined } from '@posthorn/contracts/defined'
import type { Backend } from '@posthorn/db'
import { type CredentialsDeps, requestCredentials } from '../credentials.ts'
import { AttemptError, PreAttemptError } from '../transport.ts'

/** Clients of mail APIs, by provider. */
export type MailApis = Partial<Record<Provider, CreateMailApi>>

export interface MailApiDeps extends Omit<CredentialsDeps, 'signal'> {
  mailApis: MailApis
}

/**
 * Account at a mail API, and the queue id of the submission or draft cleanup that entitles this
 * sender to the account's login.
 */
export interface MailApiTarget {
  account: string
  backend: Backend
  queueId: string
}

export interface MailApiConnection {
  readonly api: MailApi
  /** Name of the mail API, as the text of a sending result contains it. */
  readonly apiName: string
  /**
   * Failure of the last login at the mail API. Absent if the last login succeeded. Needed because
   * the API client may reject with another error.
   */
  loginError?: unknown
}

/**
 * Connects to the mail API of an account. After an access token has expired or was rejected,
 * requests a new token from auth-bridge.
 *
 * @throws AttemptError if auth-bridge has no login; PreAttemptError if auth-bridge is unavailable,
 * or this release has no client for the mail system
 */
export async function connectMailApi(
  { mailApis, bus, credentialsMs }: MailApiDeps,
  { account, backend, queueId }: MailApiTarget,
  signal: AbortSignal,
): Promise<MailApiConnection> {
  const provider = backend as Provider
  const create = mailApis[provider]
  if (!create) throw new PreAttemptError(`no client for ${backend}`)
  const request = async (options: LoginOptions) => {
    const entitlement = { queueId }
    const fresh = options.fresh || undefined
    const login = await requestCredentials(
      { bus, credentialsMs, signal: options.signal },
      getCredentials,
      defined({ account, protocol: 'api' as const, entitlement, fresh }),
    )
    if ('accessToken' in login) return login
    throw new AttemptError({ message: 'The account has no access token', code: 'EAUTH' })
  }
  const connection: Pick<MailApiConnection, 'loginError'> = {}
  let current = await request({ fresh: false, signal })
  let endsAt = endOf(current)
  const renew = async (options: LoginOptions) => {
    delete connection.loginError
    try {
      current = await request(options)
      endsAt = endOf(current)
    } catch (error) {
      connection.loginError = error
      throw error
    }
  }
  const access = {
    provider,
    account,
    application: current.application ?? '',
    ...defined({ cloud: current.cloud }),
    login: async (options: LoginOptions) => {
      if (options.fresh || Date.now() >= endsAt) await renew(options)
      const { user, accessToken, own } = current
      return defined({ user, accessToken, own })
    },
  }
  const { apiName } = apiAccountTypes[provider]
  return Object.assign(connection, { api: create(access, { priority: 'caller' }), apiName })
}

function endOf({ expires }: { expires?: string }): number {
  return expires === undefined ? Infinity : endOfUse(expires, Date.now())
}
