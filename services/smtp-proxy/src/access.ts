import {
  auditProxyLogin,
  checkToken,
  countRequest,
  listTokens,
  markTokenUsed,
  type TokenRejection,
} from '@posthorn/access'
import { findSealedSettingRevision, type SettingsCache } from '@posthorn/db'
import {
  type AddressedLogin,
  authenticateClient,
  type AuthenticationDeps,
  mayBeAccount,
  type SessionAuth,
  smtpProxy,
} from '@posthorn/mail-frontend'
import { SmtpRejection } from './rejection.ts'
import { accountExists } from './store/accounts.ts'

export interface AccessDeps extends AuthenticationDeps {
  settings: SettingsCache
}

/** Account and authentication of an SMTP session after AUTH. */
export interface User {
  account: string
  address: string
  auth: SessionAuth
}

/**
 * Rejection of SMTP logins with unknown accounts, unknown access tokens and forbidden uses (RFC
 * 4954 §6). All these logins get the same text, which does not reveal the reason.
 */
export const invalidCredentials = () =>
  new SmtpRejection('535 5.7.8', 'Authentication credentials invalid')
/**
 * Rejection of an SMTP login whose valid access token has an address restriction that excludes the
 * client.
 */
export class AddressRejection extends SmtpRejection {
  constructor() {
    super('535 5.7.8', 'Access denied, traffic not accepted from this IP')
  }
}
export const loginRequired = () => new SmtpRejection('530 5.7.0', 'Authentication required')

/**
 * Authenticates an SMTP client by access token or server password.
 *
 * @throws SmtpRejection 535
 */
export async function logIn(deps: AccessDeps, login: AddressedLogin): Promise<User> {
  const { db } = deps
  const { account, address } = login
  if (!mayBeAccount(account)) throw invalidCredentials()
  const auth = await authenticateClient(deps, smtpProxy, login)
  if (auth === 'address') throw new AddressRejection()
  if (!auth || !(await accountExists(db, account))) throw invalidCredentials()
  // Stores the time of the access token's last use without waiting for the result, so that the
  // login is not delayed.
  if (auth.tokenId !== undefined) markTokenUsed(db, auth.tokenId, address).catch(() => undefined)
  return { account, address, auth }
}

/**
 * Checks that an SMTP session may still send: token valid, password unchanged, account existing. An
 * undefined user is a session without login, which the settings may allow.
 *
 * @throws SmtpRejection 530 or 535
 */
export async function checkSession(deps: AccessDeps, user: User | undefined): Promise<void> {
  const { db, settings } = deps
  if (!user) {
    const { smtpServerAuthEnabled = true } = await settings.get()
    if (smtpServerAuthEnabled) throw loginRequired()
    return
  }
  const [exists, isValid] = await Promise.all([
    accountExists(db, user.account),
    user.auth.tokenId === undefined
      ? findSealedSettingRevision(db, smtpProxy.passwordSetting).then(
          (revision) => revision === user.auth.passwordRevision,
        )
      : isTokenUsable(deps, user.auth.tokenId, user),
  ])
  if (!exists || !isValid) throw invalidCredentials()
}

async function isTokenUsable(
  { db, tokenLog }: AccessDeps,
  token: string,
  { account, address }: { account: string; address: string },
): Promise<boolean> {
  const use = { scope: 'smtp', account, address } as const
  const [row] = await listTokens(db, [token])
  const refused: TokenRejection | undefined = row ? checkToken(row, use) : 'unknown'
  if (refused !== undefined) auditProxyLogin(tokenLog, use, { token, refused, command: 'MAIL' })
  return refused === undefined
}

/**
 * Counts a submitted message against the rate limit of the SMTP session's access token. API
 * requests count against the same limit.
 *
 * @throws SmtpRejection 450 above the limit
 */
export async function countMessage(
  { db, tokenLog }: AccessDeps,
  user: User | undefined,
): Promise<void> {
  if (user?.auth.tokenId === undefined) return
  const { account, address } = user
  const { tokenId: token } = user.auth
  const use = { scope: 'smtp', account, address } as const
  const [row] = await listTokens(db, [token])
  const limit = row?.restrictions?.rateLimit
  const window = limit ? await countRequest(db, token, limit.timeWindow) : undefined
  const isOver = limit && window ? window.requests > limit.maxRequests : false
  auditProxyLogin(tokenLog, use, { token, refused: isOver ? 'rate' : undefined, command: 'MAIL' })
  if (isOver)
    throw new SmtpRejection(
      '450 4.7.1',
      `Rate limit exceeded, try again in ${window?.resetSeconds} seconds`,
    )
}
