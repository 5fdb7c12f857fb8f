import type { LastError } from '@posthorn/contracts/schemas/account'
import type { Backend, Db, StoredOAuth2 } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'

/**
 * Time that stands for the grant time of accounts without an OAuth2 grant (service accounts, client
 * credentials).
 */
const noGrant = new Date(0)

/** Account with its mail backend, its email address and its OAuth2 registration, if any. */
export interface OAuth2Account {
  account: string
  backend: Backend
  email: string | null
  oauth2: StoredOAuth2 | null
}

/** Finds an account with its OAuth2 registration. Undefined if the account is unknown. */
export function findOAuth2Account(db: Db, account: string): Promise<OAuth2Account | undefined> {
  return db
    .selectFrom('accounts')
    .select(['account', 'backend', 'email', 'oauth2'])
    .where('account', '=', account)
    .executeTakeFirst()
}

/** OAuth2 grant of an account and its tokens. Times are by the clock of Postgres. */
export interface GrantTokens {
  /**
   * Sealed (encrypted) OAuth2 grant from registration or consent; undefined if the account needs no
   * grant.
   */
  grant: string | undefined
  grantUpdatedAt: Date
  /** Sealed (encrypted) tokens of the last renewal; undefined before the first renewal. */
  tokens: string | undefined
  /** Revision of the account's tokens, incremented by every renewal. */
  revision: string
  /**
   * Time since the last token renewal; undefined if account or application changed after the
   * renewal.
   */
  renewedAgoMs: number | undefined
  /**
   * Failure of the last token renewal; undefined after a change that may have removed the cause.
   */
  failure: RefreshFailure | undefined
  /** True if a token renewal was interrupted: the provider may have replaced the refresh token. */
  isInterrupted: boolean
}

/** Failure of the last token renewal of an account. */
export interface RefreshFailure {
  error: LastError
  /** Time from the first consecutive failure of token renewals to the last failure. */
  lastedMs: number
  /** Time since the last failure to renew the tokens. */
  agoMs: number
  /**
   * Time until the OAuth2 provider permits the next token renewal; 0 if the provider requested no
   * delay, or the delay is over.
   */
  waitMs: number
}

/**
 * Finds the OAuth2 grant of an account and its renewed tokens. Tokens that were renewed from an
 * earlier grant are left out.
 */
export async function findGrantTokens(db: Db, account: string): Promise<GrantTokens> {
  const row = await selectGrantTokens(db, account).executeTakeFirst()
  return row ? toGrantTokens(row) : noTokens
}

type GrantRow = Awaited<ReturnType<ReturnType<typeof selectGrantTokens>['execute']>>[number]

function selectGrantTokens(db: Db, account: string) {
  return db
    .selectFrom('accounts')
    .leftJoin('credentials', (join) =>
      join.onRef('credentials.account', '=', 'accounts.account').on('kind', '=', 'oauth2'),
    )
    .leftJoin('oauth2Apps', (join) =>
      join.on('oauth2Apps.id', '=', sql<string>`accounts.oauth2 ->> 'provider'`),
    )
    .leftJoin('oauth2Tokens', 'oauth2Tokens.account', 'accounts.account')
    .select([
      'credentials.sealed as grant',
      'credentials.updatedAt as grantUpdatedAt',
      'oauth2Tokens.sealed as tokens',
      'oauth2Tokens.grantUpdatedAt as tokensOf',
      'oauth2Tokens.revision',
      'oauth2Tokens.lastError',
      isFailing.as('isFailing'),
      isConfirmed.as('isConfirmed'),
      milliseconds(sql`oauth2_tokens.updated_at - oauth2_tokens.failing_since`).as('lastedMs'),
      milliseconds(sql`now() - oauth2_tokens.updated_at`).as('agoMs'),
      waitMs.as('waitMs'),
      sql<boolean>`coalesce(oauth2_tokens.refreshing_until < now(), false)`.as('isInterrupted'),
    ])
    .where('accounts.account', '=', account)
}

const noTokens: GrantTokens = {
  grant: undefined,
  grantUpdatedAt: noGrant,
  tokens: undefined,
  revision: '0',
  renewedAgoMs: undefined,
  failure: undefined,
  isInterrupted: false,
}

function toGrantTokens(row: GrantRow): GrantTokens {
  const { isFailing, isConfirmed, isInterrupted, lastError: error } = row
  const { lastedMs, agoMs, waitMs } = row
  const grantUpdatedAt = row.grantUpdatedAt ?? noGrant
  const isCurrent = row.tokensOf?.getTime() === grantUpdatedAt.getTime()
  return {
    grant: row.grant ?? undefined,
    grantUpdatedAt,
    tokens: (isCurrent && row.tokens) || undefined,
    revision: row.revision ?? '0',
    renewedAgoMs: isCurrent && isConfirmed ? agoMs : undefined,
    failure: isFailing && error ? { error, lastedMs, agoMs, waitMs } : undefined,
    isInterrupted,
  }
}

/**
 * SQL condition: true if the last token renewal failed. False after a new OAuth2 grant, a change of
 * the application or a reconnect, so that the renewal is retried immediately.
 */
const isFailing = sql<boolean>`oauth2_tokens.failing_since is not null and oauth2_tokens.updated_at
  >= greatest(accounts.updated_at, credentials.updated_at, oauth2_apps.updated_at)`

/**
 * SQL condition: true if the last token renewal succeeded, and neither account nor OAuth2
 * application changed after the renewal. After a change, the provider may issue other tokens.
 */
const isConfirmed = sql<boolean>`oauth2_tokens.sealed is not null and oauth2_tokens.failing_since is null
  and oauth2_tokens.updated_at >= greatest(accounts.updated_at, oauth2_apps.updated_at)`

const waitMs = sql<number>`greatest(0, coalesce(1000 * extract(epoch from oauth2_tokens.retry_at - now()), 0))::float8`

function milliseconds(interval: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(1000 * extract(epoch from ${interval}))::float8`
}
