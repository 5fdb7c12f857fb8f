import { auditProxyLogin, findUsableToken, markTokenUsed, type TokenLog } from '@posthorn/access'
import type { Bus } from '@posthorn/bus'
import { checkImapProxyServerPassword } from '@posthorn/contracts/commands/credentials'
import type { Db } from '@posthorn/db'
import {
  type ClientLogin,
  matchServerPassword,
  type ServerPassword,
  type SessionAuth,
} from '@posthorn/mail-frontend'
import { findImap, type StoredImap } from './store/accounts.ts'

/** Rejected login: text for the client and label for the metrics. */
export interface LoginRejection {
  text: string
  result:
    | 'invalid'
    | 'address'
    | 'no-imap'
    | 'limit'
    | 'upstream-refused'
    | 'misconfigured'
    | 'unavailable'
}

export type AccessDecision =
  | { auth: SessionAuth; imap: StoredImap; rejection?: never }
  | { rejection: LoginRejection }

/** Password setting that admits to all accounts. */
export const serverPassword: ServerPassword = {
  setting: 'imapProxyServerPassword',
  command: checkImapProxyServerPassword,
}

/**
 * Rejection of unknown accounts, unknown tokens and forbidden uses. The common text does not reveal
 * the reason.
 */
const invalid: LoginRejection = {
  text: '[AUTHENTICATIONFAILED] Invalid credentials',
  result: 'invalid',
}
const addressNotAllowed: LoginRejection = {
  text: '[AUTHENTICATIONFAILED] Access denied, traffic not accepted from this IP',
  result: 'address',
}
// RFC 5530 does not define ACCOUNTDISABLED; mail clients know it.
const noImap: LoginRejection = {
  text: '[ACCOUNTDISABLED] IMAP is not enabled for this account',
  result: 'no-imap',
}

export interface AccessDeps {
  db: Db
  bus: Pick<Bus, 'request'>
  tokenLog: TokenLog
}

/**
 * Decides whether a login from this address may use the account.
 *
 * @throws Error if Postgres or auth-bridge is unavailable
 */
export async function checkAccess(
  deps: AccessDeps,
  { account, secret }: ClientLogin,
  address: string,
): Promise<AccessDecision> {
  const { db } = deps
  // Postgres rejects NUL in text; no account id contains it.
  if (account === '' || account.length > 256 || account.includes('\0'))
    return { rejection: invalid }
  const [auth, imap] = await Promise.all([
    authenticate(deps, { account, secret }, address),
    findImap(db, account),
  ])
  if (auth === 'address') return { rejection: addressNotAllowed }
  if (!auth || imap === undefined) return { rejection: invalid }
  if (imap === null) return { rejection: noImap }
  // Best effort: a login does not wait for the time of last use.
  if (auth.tokenId !== undefined) markTokenUsed(db, auth.tokenId, address).catch(() => undefined)
  return { auth, imap }
}

async function authenticate(
  deps: AccessDeps,
  { account, secret }: ClientLogin,
  address: string,
): Promise<SessionAuth | 'address' | undefined> {
  const use = { scope: 'imap-proxy', account, address } as const
  const { id, refused, token } = await findUsableToken(deps.db, secret, use)
  auditProxyLogin(deps.tokenLog, use, { token: id, refused, command: 'LOGIN' })
  if (refused === 'address') return refused
  if (token) return { tokenId: token.id, expiresAt: token.expiresAt }
  // Only a secret that is not a token may be the server password; a rejected token stays rejected.
  if (refused !== 'unknown') return undefined
  const passwordRevision = await matchServerPassword(deps, serverPassword, secret)
  return passwordRevision === undefined ? undefined : { passwordRevision }
}
