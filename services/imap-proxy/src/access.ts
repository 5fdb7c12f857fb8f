import type { Bus } from '@posthorn/bus'
import { checkImapProxyServerPassword } from '@posthorn/contracts'
import { findUsableToken, markTokenUsed, auditProxyLogin, type TokenLog } from '@posthorn/access'
import { type Db } from '@posthorn/db'
import { type SessionAuth, matchServerPassword, type ServerPassword } from '@posthorn/mail-frontend'
import { findImap, type StoredImap } from './store/accounts.ts'

/** What a client logs in with: a token, or the password for all accounts. */
export interface Login {
  account: string
  secret: string
}

/** A refusal as it is said to the client, and as it is counted. */
export interface Refusal {
  text: string
  result: 'invalid' | 'address' | 'no-imap' | 'limit' | 'upstream-refused' | 'unavailable'
}

export type Access = { key: SessionAuth; imap: StoredImap; refusal?: never } | { refusal: Refusal }

/** The password for all accounts at this door. */
export const serverPassword: ServerPassword = {
  setting: 'imapProxyServerPassword',
  command: checkImapProxyServerPassword,
}

/** One text for an account that does not exist, a token that does not, and one that may not be used so: it tells nobody which. */
const invalid: Refusal = { text: '[AUTHENTICATIONFAILED] Invalid credentials', result: 'invalid' }
const foreignAddress: Refusal = {
  text: '[AUTHENTICATIONFAILED] Access denied, traffic not accepted from this IP',
  result: 'address',
}
// RFC 5530 has no ACCOUNTDISABLED; mail clients know it all the same.
const noImap: Refusal = {
  text: '[ACCOUNTDISABLED] IMAP is not enabled for this account',
  result: 'no-imap',
}

export interface AccessDeps {
  db: Db
  bus: Pick<Bus, 'request'>
  tokenLog: TokenLog
}

/** Whether a token or the password lets somebody at this address use this account. Throws only when nobody can say. */
export async function checkAccess(
  deps: AccessDeps,
  { account, secret }: Login,
  address: string,
): Promise<Access> {
  const { db } = deps
  // Postgres takes no NUL in a text; nobody's account has one.
  if (account === '' || account.length > 256 || account.includes('\0')) return { refusal: invalid }
  const [key, imap] = await Promise.all([
    findKey(deps, { account, secret }, address),
    findImap(db, account),
  ])
  if (key === 'address') return { refusal: foreignAddress }
  if (!key) return { refusal: invalid }
  if (imap === undefined) return { refusal: invalid }
  if (imap === null) return { refusal: noImap }
  // Whoever reads the time of last use can do without it; whoever logs in cannot wait for it.
  if (key.tokenId !== undefined) markTokenUsed(db, key.tokenId, address).catch(() => undefined)
  return { key, imap }
}

async function findKey(
  deps: AccessDeps,
  { account, secret }: Login,
  address: string,
): Promise<SessionAuth | 'address' | undefined> {
  const use = { scope: 'imap-proxy', account, address } as const
  const { id, refused, token } = await findUsableToken(deps.db, secret, use)
  auditProxyLogin(deps.tokenLog, use, { token: id, refused, command: 'LOGIN' })
  if (refused === 'address') return refused
  if (token) return { tokenId: token.id, expiresAt: token.expiresAt }
  // Only what is no token at all may be the password: a token that is refused stays refused.
  if (refused !== 'unknown') return undefined
  const passwordRevision = await matchServerPassword(deps, serverPassword, secret)
  return passwordRevision === undefined ? undefined : { passwordRevision }
}
