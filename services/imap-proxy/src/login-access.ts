import { markTokenUsed } from '@posthorn/access'
import {
  authenticateClient,
  type AuthenticationDeps,
  type ClientLogin,
  imapProxy,
  mayBeAccount,
  type SessionAuth,
} from '@posthorn/mail-frontend'
import { findImap, type StoredImap } from './store/accounts.ts'

/** Rejection of a mail client's login: text for the client and label for the metrics. */
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

/**
 * Rejection of IMAP logins with unknown accounts, unknown access tokens and forbidden uses. All
 * these logins get the same text, which does not reveal the reason.
 */
const invalid: LoginRejection = {
  text: '[AUTHENTICATIONFAILED] Invalid credentials',
  result: 'invalid',
}
const addressNotAllowed: LoginRejection = {
  text: '[AUTHENTICATIONFAILED] Access denied, traffic not accepted from this IP',
  result: 'address',
}
// Rejection of logins to accounts without IMAP. RFC 5530 does not define the code ACCOUNTDISABLED,
// but mail clients know the code.
const noImap: LoginRejection = {
  text: '[ACCOUNTDISABLED] IMAP is not enabled for this account',
  result: 'no-imap',
}

/**
 * Decides whether the login of a mail client gives access to the account by IMAP from the client's
 * address.
 *
 * @throws Error if Postgres or auth-bridge is unavailable
 */
export async function checkAccess(
  deps: AuthenticationDeps,
  { account, secret }: ClientLogin,
  address: string,
): Promise<AccessDecision> {
  const { db } = deps
  if (!mayBeAccount(account)) return { rejection: invalid }
  const [auth, imap] = await Promise.all([
    authenticateClient(deps, imapProxy, { account, secret, address }),
    findImap(db, account),
  ])
  if (auth === 'address') return { rejection: addressNotAllowed }
  if (!auth || imap === undefined) return { rejection: invalid }
  if (imap === null) return { rejection: noImap }
  // Stores the time of the access token's last use without waiting for the result, so that the
  // login is not delayed.
  if (auth.tokenId !== undefined) markTokenUsed(db, auth.tokenId, address).catch(() => undefined)
  return { auth, imap }
}
