import type { Credentials } from '@posthorn/contracts/commands/credentials'
import { defined } from '@posthorn/contracts/defined'
import type { Db, SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { TtlCache } from '@posthorn/flow'
import type { HttpCaller } from '@posthorn/net/http-caller'
import { splitCredentials } from '@posthorn/net/url'
import type { Unsealer } from '@posthorn/secrets'
import type { StoredLogin } from '../store/credentials.ts'
import { findSealedSetting, settingSealContext } from '../store/settings.ts'
import { type CredentialsResponse, parseCredentials } from './parse-credentials.ts'

export interface AuthServerDeps {
  http: Pick<HttpCaller, 'call'>
  /**
   * Returns the URL of the operator's authentication server (setting `authServer`); undefined
   * without such a server.
   */
  address: () => Promise<string | undefined>
  /**
   * Returns true if requests to the authentication server name the mail protocol (setting
   * `authServerProtocol`). Default: false.
   */
  sendsProtocol?: () => Promise<boolean>
  now?: () => number
}

export interface AuthServer {
  /**
   * Requests the credentials of an account from the operator's authentication server.
   *
   * @throws AppError `unreachable` `HTTPRequestError` for any failure
   */
  get(login: Pick<StoredLogin, 'account' | 'protocol'>): Promise<Credentials>
  /** Drops cached responses of the authentication server for one account, or for all accounts. */
  invalidate(account?: string): void
}

/**
 * Maximum size of the authentication server's response; tokens have up to 4 KiB. A longer body is
 * cut and fails to parse.
 */
export const authServerMaxBytes = 64 * 1_024

/**
 * Creates the client of the operator's authentication server: `GET <authServer>?account=<id>`, with
 * `&proto=<imap|smtp|api>` if the setting `authServerProtocol` is true. Every failure is
 * `unreachable`, because a failed request says nothing about the login at the mail server.
 */
export function createAuthServer(deps: AuthServerDeps): AuthServer {
  const { http, address, sendsProtocol = async () => false, now = Date.now } = deps
  const cache = new TtlCache<string, CredentialsResponse>({ max: 10_000, clock: now })
  return {
    async get({ account, protocol }) {
      const base = await address()
      if (!base) throw failure('No authentication server is set')
      const query = { account, ...((await sendsProtocol()) && { proto: protocol }) }
      // The request to the authentication server, which concurrent callers share, has a timeout of
      // its own and ignores the signals of its callers.
      const { credentials } = await cache.load(
        JSON.stringify([account, query.proto ?? '', base]),
        async () => send({ http, now }, requestFor(query, base)),
        { expiresAt: ({ expiresAt }) => expiresAt },
      )
      return credentials
    },
    invalidate(account) {
      if (account === undefined) cache.clear()
      else cache.deleteIf((key) => key.startsWith(`[${JSON.stringify(account)},`))
    },
  }
}

interface AuthServerUrlDeps {
  db: Db
  unsealer: Unsealer
  settings: Pick<SettingsCache, 'get'>
}

/**
 * Returns the URL of the authentication server. If the URL has a login, the setting `authServer`
 * contains a masked password, and the whole URL is stored sealed (encrypted) separately.
 */
export async function getAuthServerUrl({
  db,
  unsealer,
  settings,
}: AuthServerUrlDeps): Promise<string | undefined> {
  const { authServer } = await settings.get()
  if (!authServer || !URL.canParse(authServer)) return authServer
  if (splitCredentials(authServer).authorization === undefined) return authServer
  const sealed = await findSealedSetting(db, 'authServer')
  return sealed === undefined
    ? authServer
    : unsealer.unseal(sealed, settingSealContext('authServer'))
}

/**
 * Builds the request to the authentication server. Moves a login in the URL to the Authorization
 * header.
 */
function requestFor(query: { account: string; proto?: string }, base: string) {
  if (!URL.canParse(base)) throw failure('The authentication server has no valid address')
  const { url: bare, authorization } = splitCredentials(base)
  const url = new URL(bare)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return { url: url.href, headers: { accept: 'application/json', ...defined({ authorization }) } }
}

async function send(
  { http, now }: { http: Pick<HttpCaller, 'call'>; now: () => number },
  request: ReturnType<typeof requestFor>,
): Promise<CredentialsResponse> {
  const { outcome, status, body, error } = await http.call({ method: 'GET', ...request })
  if (status === undefined || error !== undefined)
    throw failure(`The request to the authentication server failed (${outcome})`, error)
  if (status !== 200) throw failure(`The authentication server returned ${status}`)
  const response = parseCredentials(body.toString('utf8'), now())
  if (!response) throw failure('The authentication server returned no credentials')
  return response
}

function failure(message: string, reason?: string): AppError {
  return new AppError('unreachable', message, {
    code: 'HTTPRequestError',
    ...defined({ cause: reason === undefined ? undefined : new Error(reason) }),
  })
}
