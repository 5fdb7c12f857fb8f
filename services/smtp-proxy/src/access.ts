import type { Bus } from '@posthorn/bus'
import { checkSmtpServerPassword } from '@posthorn/contracts'
import {
  countRequest,
  type Db,
  findUsableToken,
  listTokens,
  markTokenUsed,
  refusalOf,
  type SettingsCache,
} from '@posthorn/db'
import { Refusal } from './refusal.ts'
import { accountExists } from './store/accounts.ts'
import { findPasswordRevision } from './store/password.ts'

export interface AccessDeps {
  db: Db
  bus: Pick<Bus, 'ask'>
  settings: SettingsCache
}

/** Who a session is, after AUTH: by a token, or by the password for all accounts. */
export type User = { account: string; address: string } & (
  | { tokenId: string; passwordRevision?: never }
  | { passwordRevision: string; tokenId?: never }
)

export interface Login {
  account: string
  /** A token, or the password for all accounts. */
  secret: string
  address: string
}

const passwordMs = 5_000

/** One text for an unknown account, an unknown token and one that may not be used so: it tells nobody which. RFC 4954 §6. */
export const invalidCredentials = () =>
  new Refusal('535 5.7.8', 'Authentication credentials invalid')
export const loginNeeded = () => new Refusal('530 5.7.0', 'Authentication required')

/** @throws Refusal 535 */
export async function logIn(deps: AccessDeps, login: Login): Promise<User> {
  const { db } = deps
  const { account, secret, address } = login
  if (account === '' || account.length > 256 || account.includes('\0')) throw invalidCredentials()
  const verdict = await findUsableToken(db, secret, { scope: 'smtp', account, address })
  if (verdict.refused === 'address')
    throw new Refusal('535 5.7.8', 'Access denied, traffic not accepted from this IP')
  // Only what is no token at all may be the password: a token that is refused stays refused.
  const passwordRevision =
    verdict.refused === 'unknown' ? await checkPassword(deps, secret) : undefined
  const user: User | undefined = verdict.token
    ? { account, address, tokenId: verdict.token.id }
    : passwordRevision === undefined
      ? undefined
      : { account, address, passwordRevision }
  if (!user || !(await accountExists(db, account))) throw invalidCredentials()
  // Whoever reads the time of last use can do without it; whoever logs in cannot wait for it.
  if (user.tokenId !== undefined) markTokenUsed(db, user.tokenId, address).catch(() => undefined)
  return user
}

/** Since when the password is what it is, if this is it. Compared by auth-bridge, the only one who can open the one we are to have. */
async function checkPassword(
  { db, bus }: AccessDeps,
  password: string,
): Promise<string | undefined> {
  if (password === '' || password.length > 1024) return undefined
  // Read first: should it change in between, the session does not outlast its next message.
  const revision = await findPasswordRevision(db)
  if (revision === undefined) return undefined
  const { valid } = await bus.ask(
    checkSmtpServerPassword,
    { password },
    { key: 'credentials', timeoutMs: passwordMs },
  )
  return valid ? revision : undefined
}

/**
 * Whether a session may send a message now: its token may have been revoked since AUTH, the password changed, its account removed. Undefined is a
 * session without a login, where the settings allow for it.
 *
 * @throws Refusal 530 or 535
 */
export async function checkSession(
  { db, settings }: AccessDeps,
  user: User | undefined,
): Promise<void> {
  if (!user) {
    const { smtpServerAuthEnabled = true } = await settings.get()
    if (smtpServerAuthEnabled) throw loginNeeded()
    return
  }
  const [isThere, isGood] = await Promise.all([
    accountExists(db, user.account),
    user.tokenId === undefined
      ? findPasswordRevision(db).then((revision) => revision === user.passwordRevision)
      : isUsable(db, user.tokenId, user),
  ])
  if (!isThere || !isGood) throw invalidCredentials()
}

async function isUsable(
  db: Db,
  tokenId: string,
  { account, address }: { account: string; address: string },
): Promise<boolean> {
  const [token] = await listTokens(db, [tokenId])
  return token !== undefined && refusalOf(token, { scope: 'smtp', account, address }) === undefined
}

/**
 * Counts a message against the limit of its token, together with the requests the token makes elsewhere.
 *
 * @throws Refusal 450: the client may come again
 */
export async function countMessage(db: Db, user: User | undefined): Promise<void> {
  if (user?.tokenId === undefined) return
  const [token] = await listTokens(db, [user.tokenId])
  const limit = token?.restrictions?.rateLimit
  if (!limit) return
  const { requests, resetSeconds } = await countRequest(db, user.tokenId, limit.timeWindow)
  if (requests > limit.maxRequests)
    throw new Refusal('450 4.7.1', `Rate limit exceeded, try again in ${resetSeconds} seconds`)
}
