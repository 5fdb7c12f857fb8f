import { type Db, findUsableToken, markTokenUsed, type UsableToken } from '@posthorn/db'
import { findImap, isUsable, type StoredImap } from './store/accounts.ts'

/** What a client logs in with. */
export interface Login {
  account: string
  token: string
}

/** A refusal as it is said to the client, and as it is counted. */
export interface Refusal {
  text: string
  result: 'invalid' | 'address' | 'no-imap' | 'limit' | 'upstream-refused' | 'unavailable'
}

export type Access =
  | { token: UsableToken; imap: StoredImap; refusal?: never }
  | { refusal: Refusal }

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

/** Whether a token lets somebody at this address use this account. Throws only when Postgres cannot be asked. */
export async function checkAccess(
  db: Db,
  { account, token }: Login,
  address: string,
): Promise<Access> {
  // Postgres takes no NUL in a text; nobody's account has one.
  if (account === '' || account.length > 256 || account.includes('\0')) return { refusal: invalid }
  const verdict = await findUsableToken(db, token, { scope: 'imap-proxy', account, address })
  if (verdict.refused === 'address') return { refusal: foreignAddress }
  if (!verdict.token) return { refusal: invalid }
  const imap = await findImap(db, account)
  if (imap === undefined) return { refusal: invalid }
  if (!isUsable(imap)) return { refusal: noImap }
  // Whoever reads the time of last use can do without it; whoever logs in cannot wait for it.
  markTokenUsed(db, verdict.token.id, address).catch(() => undefined)
  return { token: verdict.token, imap }
}
