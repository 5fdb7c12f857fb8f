import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { findOAuth2Account, type OAuth2Account } from '../store/oauth2-tokens.ts'
import type { Protocol } from '../store/credentials.ts'

/** Whose grant an account logs in with, and as whom. */
export interface GrantUse {
  /** The account that holds the grant: the one that was asked for, or the one it delegates to. */
  holder: string
  /** The application of the grant. */
  app: string
  useAuthServer: boolean
  /** Whose tokens they are. */
  owner: string
  /** Whom to log in as. */
  user: string
}

/** Further than this nobody delegates on purpose. */
const maxHops = 20

/**
 * Follows `delegatedAccount` to the account whose grant is used. A shared mailbox is read as itself and sent from as whoever the token
 * is of: Exchange takes it in no other way.
 *
 * @throws AppError `rejected` `TokenGenerationError` where it leads nowhere or in a circle
 */
export async function whoseGrant(
  db: Db,
  account: string,
  protocol: Protocol,
): Promise<GrantUse | undefined> {
  const asked = await findOAuth2Account(db, account)
  if (!asked) return undefined
  const mailbox = protocol === 'imap' ? asked.oauth2?.auth?.delegatedUser : undefined
  const seen = new Set<string>()
  for (let current = asked; ;) {
    const next = current.oauth2?.auth?.delegatedAccount
    if (next === undefined) return useOf(current, mailbox)
    seen.add(current.account)
    if (seen.size > maxHops || seen.has(next)) throw broken('delegates in a circle')
    current = await getDelegate(db, next)
  }
}

async function getDelegate(db: Db, account: string): Promise<OAuth2Account> {
  const found = await findOAuth2Account(db, account)
  if (!found) throw broken('delegates to an account that is not there')
  return found
}

function useOf({ account, email, oauth2 }: OAuth2Account, mailbox: string | undefined): GrantUse {
  if (!oauth2) throw broken('delegates to an account without OAuth2')
  const { provider, auth, useAuthServer = false } = oauth2
  const owner = auth?.user ?? email ?? ''
  return { holder: account, app: provider, useAuthServer, owner, user: mailbox ?? owner }
}

function broken(what: string): AppError {
  return new AppError('rejected', `The account ${what}`, { code: 'TokenGenerationError' })
}
