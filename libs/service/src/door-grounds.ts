import { refusalOf, type TokenRow, type TokenUse } from '@posthorn/db'
import type { DoorSession } from './door-sessions.ts'

/** What open sessions stand on, as Postgres has it now. */
export interface Grounds {
  scope: TokenUse['scope']
  tokens: ReadonlyMap<string, TokenRow>
  /** Those that are still there, and for this door. */
  accounts: ReadonlySet<string>
  passwordRevision: string | undefined
}

/** What the client of a token that has come to its end is told. */
export const sessionExpired = 'Session expired'

type Standing = Pick<DoorSession, 'key' | 'account' | 'address'>

export function isExpired({ key: { expiresAt } }: Pick<DoorSession, 'key'>, now: number): boolean {
  return expiresAt instanceof Date && expiresAt.getTime() <= now
}

/**
 * What a client is told as its session ends, or undefined while it may go on. A token that has come to its end has expired for whoever
 * looks first, be it still stored or not.
 */
export function endingOf(
  session: Standing,
  grounds: Grounds,
  now: number = Date.now(),
): string | undefined {
  if (isExpired(session, now)) return sessionExpired
  const stands = grounds.accounts.has(session.account) && isGood(session, grounds, now)
  return stands ? undefined : 'Access was withdrawn'
}

function isGood({ key, account, address }: Standing, grounds: Grounds, now: number): boolean {
  if (key.tokenId === undefined) return key.passwordRevision === grounds.passwordRevision
  const token = grounds.tokens.get(key.tokenId)
  const use = { scope: grounds.scope, account, address }
  return token !== undefined && refusalOf(token, use, now) === undefined
}
