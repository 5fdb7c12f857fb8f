import { accountTypeOf } from '@posthorn/contracts/account-types'
import type { OAuth2Provider } from '@posthorn/contracts/schemas/oauth2-app'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { parseObject } from '../parse-object.ts'
import type { Protocol } from '../store/credentials.ts'
import { findOAuth2Account, type OAuth2Account } from '../store/oauth2-grants.ts'

/**
 * Plaintext of a sealed (encrypted) OAuth2 grant. api-gateway stores the grants of registrations,
 * auth-bridge stores renewed grants.
 */
export interface StoredGrant {
  accessToken?: string
  refreshToken?: string
  /** Expiry of the access token in epoch milliseconds; absent if unknown. */
  expires?: number
  /** Time from the issue of the access token to its expiry, in milliseconds. */
  lifetimeMs?: number
  scopes?: string[]
  /**
   * Subject of the access token: application and user for which the token was requested. The token
   * must not be used for another application or user.
   */
  subject?: string
}

/** Parses an OAuth2 grant. Returns an empty grant for invalid text. */
export function parseGrant(text: string): StoredGrant {
  return parseObject(text) ?? {}
}

/** OAuth2 grant that an account logs in with. */
export interface ResolvedGrant {
  /**
   * Account that holds the OAuth2 grant: the requested account, or an account to which the
   * requested account delegates.
   */
  holder: string
  /** Id of the OAuth2 application that the grant belongs to. */
  app: string
  useAuthServer: boolean
  /** User to whom the tokens of the OAuth2 grant belong. */
  owner: string
  /** User as whom to log in at the account's mail server, or mailbox to use at its mail API. */
  user: string
  /** Base scopes (mail servers or mail API) that the OAuth2 application must have. */
  baseScopes: BaseScopes
}

/** Base scopes of the OAuth2 applications of accounts: for mail servers or for a mail API. */
export type BaseScopes = 'imap' | 'api'

/** Maximum length of a chain of accounts in which each account delegates to the next. */
const maxHops = 20

/**
 * Follows `delegatedAccount` to the account that holds the OAuth2 grant, and determines the user to
 * log in as. By IMAP and at a mail API, the user is the shared mailbox. By SMTP, the user is the
 * token's owner, because SMTP of Exchange accepts no other user. Without `protocol`, the user is
 * the account's mailbox. Undefined for an unknown account.
 *
 * @throws AppError `rejected` `TokenGenerationError` if the chain is broken or circular
 */
export async function resolveGrant(
  db: Db,
  account: string,
  protocol?: Protocol,
): Promise<ResolvedGrant | undefined> {
  const requested = await findOAuth2Account(db, account)
  if (!requested) return undefined
  const { readsBy: baseScopes } = accountTypeOf(requested)
  const mailbox = protocol === 'smtp' ? undefined : requested.oauth2?.auth?.delegatedUser
  const seen = new Set<string>()
  for (let current = requested; ;) {
    const next = current.oauth2?.auth?.delegatedAccount
    if (next === undefined) return { ...toResolvedGrant(current, mailbox), baseScopes }
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
): Omit<ResolvedGrant, 'baseScopes'> {
  if (!oauth2) throw broken('delegates to an account without OAuth2')
  const { provider, auth, useAuthServer = false } = oauth2
  const owner = auth?.user ?? email ?? ''
  return { holder: account, app: provider, useAuthServer, owner, user: mailbox ?? owner }
}

/**
 * True if the mailbox belongs to the user of the access token. The mail API then finds the mailbox
 * without its address, which may be an alias or a former address. False for Microsoft's application
 * tokens, which have no user, and for an authentication server, whose tokens may be application
 * tokens.
 */
export function isOwnMailbox(
  provider: OAuth2Provider,
  { useAuthServer, owner, user }: ResolvedGrant,
): boolean {
  return provider !== 'outlookService' && !useAuthServer && user === owner
}

function broken(reason: string): AppError {
  return new AppError('rejected', `The account ${reason}`, { code: 'TokenGenerationError' })
}
