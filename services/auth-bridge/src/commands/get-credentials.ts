import { on } from '@posthorn/bus'
import { type Credentials, getCredentials } from '@posthorn/contracts/commands/credentials'
import { defined } from '@posthorn/contracts/defined'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { BoundSecrets } from '../bound-secrets.ts'
import type { AccessTokens } from '../oauth2/access-tokens.ts'
import { isOwnMailbox, type ResolvedGrant, resolveGrant } from '../oauth2/grant.ts'
import type { OAuth2Deps } from '../oauth2/token-endpoint.ts'
import { checkTokenServer } from '../oauth2/token-servers.ts'
import type { AuthServer } from '../providers/auth-server.ts'
import {
  findLogin,
  passwordSealContext,
  type Protocol,
  type StoredLogin,
} from '../store/credentials.ts'
import { findApp } from '../store/oauth2-apps.ts'
import { assertEntitled } from './assert-entitled.ts'

export interface Deps extends OAuth2Deps {
  authServer: AuthServer
  tokens: AccessTokens
}

/**
 * Returns the current login of an account at its mail server. The command can be repeated safely.
 */
export function onGetCredentials(deps: Deps) {
  const { db, secrets, authServer } = deps
  return on(getCredentials, async (request, { requester }) => {
    const { account, protocol, fresh = false, entitlement } = request
    // The queries of the account's login and of the requester's entitlement run concurrently,
    // because a mail client waits for the reply.
    const [login] = await Promise.all([
      findLogin(db, account, protocol),
      assertEntitled(db, requester, { account, protocol, entitlement }),
    ])
    if (!login)
      throw new AppError('not-found', 'Account record was not found for requested ID', {
        code: 'AccountNotFound',
      })
    if (!login.configured) throw notConfigured(protocol)
    if (fresh) authServer.invalidate(account)
    if (login.useAuthServer) return authServer.get(login)
    const hasOwn = login.user !== undefined || !login.hasOAuth2
    return hasOwn ? getStoredLogin(secrets, login) : getOAuth2Credentials(deps, login, fresh)
  })
}

function notConfigured(protocol: Protocol): AppError {
  if (protocol === 'api')
    return new AppError('internal', 'The account is for mail servers, not for an API', {
      code: 'InvalidBaseScopes',
    })
  return new AppError('not-found', `The account has no ${protocol.toUpperCase()} server`, {
    code: protocol === 'imap' ? 'IMAPUnavailable' : 'SMTPUnavailable',
  })
}

/**
 * Unseals (decrypts) the stored password or access token of an account.
 *
 * @throws AppError `rejected` if no secret is stored, or the secret is for another mail server or
 * user
 */
async function getStoredLogin(
  secrets: BoundSecrets,
  { account, protocol, user, sealed, destination }: StoredLogin,
): Promise<Credentials> {
  if (protocol === 'api' || user === undefined || sealed === undefined || !destination)
    throw new AppError(
      'rejected',
      `No ${protocol.toUpperCase()} login is stored for this account`,
      { code: 'AuthenticationFails' },
    )
  const context = passwordSealContext(account, protocol)
  return { user, ...(await secrets.openServerLogin({ sealed, context, destination })) }
}

/**
 * Returns an OAuth2 access token for an account, with the user. The token comes from the account's
 * own OAuth2 grant, from the grant of another account to which the account delegates, or from the
 * authentication server. `fresh`: the mail server has rejected the previous token.
 */
async function getOAuth2Credentials(
  deps: Deps,
  { account, protocol, destination: server }: StoredLogin,
  fresh: boolean,
): Promise<Credentials> {
  const { db, tokens, authServer } = deps
  const grant = await resolveGrant(db, account, protocol)
  if (!grant) throw new AppError('not-found', 'The account has no OAuth2')
  const { user, holder } = grant
  const ofApi = protocol === 'api' ? await describeApplication(db, grant) : {}
  if (!grant.useAuthServer) {
    const destination = server && (await checkTokenServer(deps, grant, server))
    const { accessToken, expires } = await tokens.get(grant, { fresh })
    const end = expires !== undefined && protocol === 'api' && { expires: toIsoDate(expires) }
    return { user, accessToken, ...ofApi, ...end, ...defined({ destination }) }
  }
  if (fresh) authServer.invalidate(holder)
  const credentials = await authServer.get({ account: holder, protocol })
  // At a shared mailbox, the login name is the name of the mailbox, not the user who consented to
  // the OAuth2 grant.
  return { ...credentials, ...(user !== grant.owner && { user }), ...ofApi }
}

/**
 * Describes the OAuth2 application of an OAuth2 grant for mail APIs: its id (accounts of an
 * application share request limits), its cloud, and whether `/me` is the mailbox.
 */
async function describeApplication(db: Db, grant: ResolvedGrant) {
  const { app: application } = grant
  const app = await findApp(db, application)
  const own = (app && isOwnMailbox(app.provider, grant)) || undefined
  return defined({ application, cloud: app?.config.cloud, own })
}

function toIsoDate(ms: number): string {
  return new Date(ms).toISOString()
}
