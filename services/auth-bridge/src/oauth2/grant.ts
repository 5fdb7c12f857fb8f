import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { parseObject } from '../parse-object.ts'
import type { Protocol } from '../store/credentials.ts'
import { findOAuth2Account, type OAuth2Account } from '../store/oauth2-tokens.ts'

/** Plaintext of a sealed grant. Written by api-gateway at registration, and here at a renewal. */
export interface StoredGrant {
  accessToken?: string
  refreshToken?: string
  /** Expiry of the access token in epoch milliseconds; absent if unknown. */
  expires?: number
  scopes?: string[]
  /** Application and user the access token was requested for. It is useless for others. */
  subject?: string
}

/** Parses a grant. Returns an empty one for invalid text. */
export function parseGrant(text: string): StoredGrant {
  return parseObject(text) ?? {}
}

/** Grant that an account logs in with. */
export interface ResolvedGrant {
  /** Account that holds the grant: the requested one or the one it delegates to. */
  holder: string
  /** Application of the grant. */
  app: string
  useAuthServer: boolean
  /** User whose tokens these are. */
  owner: string
  /** User to log in as. */
  user: string
}

/** Maximum length of a delegation chain. */
const maxHops = 20

/**
 * Follows `delegatedAccount` to the account that holds the grant. A shared mailbox is read as
 * itself; mail is sent as the token's owner, because Exchange accepts nothing else. Undefined for
 * an unknown account.
 *
 * @throws AppError `rejected` `TokenGenerationError` if the chain is broken or circular
 */
export async function resolveGrant(
  db: Db,
  account: string,
  protocol: Protocol,
): Promise<ResolvedGrant | undefined> {
  const requested = await findOAuth2Account(db, account)
  if (!requested) return undefined
  const mailbox = protocol === 'imap' ? requested.oauth2?.auth?.delegatedUser : undefined
  const seen = new Set<string>()
  for (let current = requested; ;) {
    const next = current.oauth2?.auth?.delegatedAccount
    if (next === undefined) return toResolvedGrant(current, mailbox)
    seen.add(current.account)
    if (seen.size > maxHops || seen.has(next)) throw broken('delegates in a circle')
    current = await getDelegate(db, next)
  }
}

async function getDelegate(db: Db, account: string): Promise<OAuth2Account> {
  const delegate = await findOAuth2Account(db, account)
  if (!delegate) throw broken('delegates to an account that does not exist')
  return delegate
}

function toResolvedGrant(
  { account, email, oauth2 }: OAuth2Account,
  mailbox: string | undefined,
): ResolvedGrant {
  if (!oauth2) throw broken('delegates to an account without OAuth2')
  const { provider, auth, useAuthServer = false } = oauth2
  const owner = auth?.user ?? email ?? ''
  return { holder: account, app: provider, useAuthServer, owner, user: mailbox ?? owner }
}

function broken(reason: string): AppError {
  return new AppError('rejected', `The account ${reason}`, { code: 'TokenGenerationError' })
}
