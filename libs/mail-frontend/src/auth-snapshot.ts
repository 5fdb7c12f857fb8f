import { checkToken, isExpired, type ProxyTokenUse, type TokenRow } from '@posthorn/access'
import type { ClientSession } from './client-sessions.ts'

/**
 * Access tokens, accounts and server password (admits a mail client to every account) as stored at
 * one time, to check the sessions of mail clients.
 */
export interface AuthSnapshot {
  scope: ProxyTokenUse['scope']
  tokens: ReadonlyMap<string, TokenRow>
  /**
   * Ids of accounts that existed and were allowed to use the mail proxy when the stored state was
   * read.
   */
  accounts: ReadonlySet<string>
  passwordRevision: string | undefined
}

/** Reason sent to a mail client whose access token has expired. */
export const sessionExpired = 'Session expired'

type CheckedSession = Pick<ClientSession, 'auth' | 'account' | 'address'>

/**
 * Returns the reason to end a session of a mail client, or undefined if the session may continue.
 * An expired access token is reported as expired whether or not the token is still stored.
 */
export function terminationReason(
  session: CheckedSession,
  snapshot: AuthSnapshot,
  now: number = Date.now(),
): string | undefined {
  if (isExpired(session.auth, now)) return sessionExpired
  const valid = snapshot.accounts.has(session.account) && isAuthValid(session, snapshot, now)
  return valid ? undefined : 'Access was withdrawn'
}

function isAuthValid(
  { auth, account, address }: CheckedSession,
  snapshot: AuthSnapshot,
  now: number,
): boolean {
  if (auth.tokenId === undefined) return auth.passwordRevision === snapshot.passwordRevision
  const token = snapshot.tokens.get(auth.tokenId)
  const use = { scope: snapshot.scope, account, address }
  return token !== undefined && checkToken(token, use, now) === undefined
}
