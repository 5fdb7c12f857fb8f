import type { Bus } from '@posthorn/bus'
import { checkSmtpServerPassword } from '@posthorn/contracts'
import {
  countRequest,
  findUsableToken,
  listTokens,
  markTokenUsed,
  auditProxyLogin,
  checkToken,
  type TokenLog,
  type TokenRejection,
} from '@posthorn/access'
import { type Db, findSealedSettingRevision, type SettingsCache } from '@posthorn/db'
import { type SessionAuth, matchServerPassword, type ServerPassword } from '@posthorn/mail-frontend'
import { Refusal } from './refusal.ts'
import { accountExists } from './store/accounts.ts'

export interface AccessDeps {
  db: Db
  bus: Pick<Bus, 'request'>
  settings: SettingsCache
  tokenLog: TokenLog
}

/** Who a session is, after AUTH: by a token, or by the password for all accounts. */
export interface User {
  account: string
  address: string
  auth: SessionAuth
}

export interface Login {
  account: string
  /** A token, or the password for all accounts. */
  secret: string
  address: string
}

/** The password for all accounts at this door. */
export const serverPassword: ServerPassword = {
  setting: 'smtpServerPassword',
  command: checkSmtpServerPassword,
}

/** One text for an unknown account, an unknown token and one that may not be used so: it tells nobody which. RFC 4954 §6. */
export const invalidCredentials = () =>
  new Refusal('535 5.7.8', 'Authentication credentials invalid')
export const loginNeeded = () => new Refusal('530 5.7.0', 'Authentication required')

/** @throws Refusal 535 */
export async function logIn(deps: AccessDeps, login: Login): Promise<User> {
  const { db } = deps
  const { account, secret, address } = login
  if (account === '' || account.length > 256 || account.includes('\0')) throw invalidCredentials()
  const use = { scope: 'smtp', account, address } as const
  const verdict = await findUsableToken(db, secret, use)
  auditProxyLogin(deps.tokenLog, use, {
    token: verdict.id,
    refused: verdict.refused,
    command: 'AUTH',
  })
  if (verdict.refused === 'address')
    throw new Refusal('535 5.7.8', 'Access denied, traffic not accepted from this IP')
  // Only what is no token at all may be the password: a token that is refused stays refused.
  const passwordRevision =
    verdict.refused === 'unknown'
      ? await matchServerPassword(deps, serverPassword, secret)
      : undefined
  const auth: SessionAuth | undefined = verdict.token
    ? { tokenId: verdict.token.id, expiresAt: verdict.token.expiresAt }
    : passwordRevision === undefined
      ? undefined
      : { passwordRevision }
  if (!auth || !(await accountExists(db, account))) throw invalidCredentials()
  // Whoever reads the time of last use can do without it; whoever logs in cannot wait for it.
  if (auth.tokenId !== undefined) markTokenUsed(db, auth.tokenId, address).catch(() => undefined)
  return { account, address, auth }
}

/**
 * Whether a session may send a message now: its token may have been revoked since AUTH, the password changed, its account removed. Undefined is a
 * session without a login, where the settings allow for it.
 *
 * @throws Refusal 530 or 535
 */
export async function checkSession(deps: AccessDeps, user: User | undefined): Promise<void> {
  const { db, settings } = deps
  if (!user) {
    const { smtpServerAuthEnabled = true } = await settings.get()
    if (smtpServerAuthEnabled) throw loginNeeded()
    return
  }
  const [isThere, isGood] = await Promise.all([
    accountExists(db, user.account),
    user.auth.tokenId === undefined
      ? findSealedSettingRevision(db, serverPassword.setting).then(
          (revision) => revision === user.auth.passwordRevision,
        )
      : isUsable(deps, user.auth.tokenId, user),
  ])
  if (!isThere || !isGood) throw invalidCredentials()
}

async function isUsable(
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
 * Counts a message against the limit of its token, together with the requests the token makes elsewhere.
 *
 * @throws Refusal 450: the client may come again
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
    throw new Refusal(
      '450 4.7.1',
      `Rate limit exceeded, try again in ${window?.resetSeconds} seconds`,
    )
}
