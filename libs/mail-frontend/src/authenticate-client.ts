import { auditProxyLogin, findUsableToken, type TokenLog } from '@posthorn/access'
import type { Bus } from '@posthorn/bus'
import { type Db, findSealedSettingRevision } from '@posthorn/db'
import type { SessionAuth } from './client-sessions.ts'
import type { ProxyKind } from './proxy-kinds.ts'
import type { ClientLogin } from './sasl.ts'

export interface AuthenticationDeps {
  db: Db
  bus: Pick<Bus, 'request'>
  tokenLog: TokenLog
}

/** Login of a mail client from an IP address. */
export interface AddressedLogin extends ClientLogin {
  address: string
}

const timeoutMs = 5_000

/**
 * Authenticates a mail client by access token or server password, and records the use of a token.
 * Does not check that the account exists.
 *
 * @returns `address` if the restriction of a token refuses the address; undefined for other
 * rejections
 */
export async function authenticateClient(
  deps: AuthenticationDeps,
  kind: ProxyKind,
  { account, secret, address }: AddressedLogin,
): Promise<SessionAuth | 'address' | undefined> {
  const use = { scope: kind.scope, account, address }
  const { id, refused, token } = await findUsableToken(deps.db, secret, use)
  auditProxyLogin(deps.tokenLog, use, { token: id, refused, command: kind.loginCommand })
  if (refused === 'address') return refused
  if (token) return { tokenId: token.id, expiresAt: token.expiresAt }
  // The secret of a mail client is compared with the server password (admits to every account) only
  // if the secret is no existing access token. A rejected token therefore stays rejected.
  if (refused !== 'unknown') return undefined
  const passwordRevision = await matchServerPassword(deps, kind, secret)
  return passwordRevision === undefined ? undefined : { passwordRevision }
}

/** False for texts that cannot be an account id. Postgres rejects NUL in text. */
export function mayBeAccount(account: string): boolean {
  return account !== '' && account.length <= 256 && !account.includes('\0')
}

/**
 * Returns the revision of the server password (admits a mail client to every account) if the login
 * has this password. auth-bridge compares the passwords, because no other service can decrypt the
 * setting. Sends no request if no server password is set.
 */
async function matchServerPassword(
  { db, bus }: Pick<AuthenticationDeps, 'db' | 'bus'>,
  { passwordSetting, checkPassword }: ProxyKind,
  password: string,
): Promise<string | undefined> {
  if (password === '' || password.length > 1_024) return undefined
  // The revision of the server password is read before the passwords are compared. If the server
  // password changes in between, the session gets an outdated revision, which ends the session.
  const revision = await findSealedSettingRevision(db, passwordSetting)
  if (revision === undefined) return undefined
  const { valid } = await bus.request(
    checkPassword,
    { password },
    { key: 'credentials', timeoutMs },
  )
  return valid ? revision : undefined
}
