import type { LastError } from '@posthorn/contracts'
import type { Db, StoredOAuth2 } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'

/** Accounts without a grant of their own (service accounts, client credentials) have one from the beginning of time. */
const noGrant = new Date(0)

/** Where the tokens of an account belong: they open at no other place. */
export function placeOfTokens(account: string): string {
  return `oauth2-tokens/${account}`
}

export interface OAuth2Account {
  account: string
  email: string | null
  oauth2: StoredOAuth2 | null
}

export function findOAuth2Account(db: Db, account: string): Promise<OAuth2Account | undefined> {
  return db
    .selectFrom('accounts')
    .select(['account', 'email', 'oauth2'])
    .where('account', '=', account)
    .executeTakeFirst()
}

export interface Holding {
  /** As registered or consented to; undefined where the account needs none. */
  grant: string | undefined
  grantUpdatedAt: Date
  /** What became of it, sealed; undefined where nothing did yet. */
  tokens: string | undefined
  /** Raised by every renewal. */
  revision: string
  /** Since the provider gave the tokens; undefined where nothing says that it would give the same now. By the clock of Postgres. */
  renewedAgoMs: number | undefined
  /** How the last renewal failed; undefined where none did since something changed that it could have been because of. */
  failure: RefreshFailure | undefined
  /** Whoever was to renew them has not said what came of it: the provider may have replaced the refresh token since. */
  isInterrupted: boolean
}

/** By the clock of Postgres: replicas need not agree on the time. */
export interface RefreshFailure {
  error: LastError
  /** From the first failure in a row to the last. */
  lastedMs: number
  /** Since the last. */
  agoMs: number
}

/** The grant of an account and what became of it. Tokens that come from an earlier grant are not told. */
export async function findHolding(db: Db, account: string): Promise<Holding> {
  const row = await db
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
      isGiven.as('isGiven'),
      milliseconds(sql`oauth2_tokens.updated_at - oauth2_tokens.failing_since`).as('lastedMs'),
      milliseconds(sql`now() - oauth2_tokens.updated_at`).as('agoMs'),
      sql<boolean>`coalesce(oauth2_tokens.refreshing_until < now(), false)`.as('isInterrupted'),
    ])
    .where('accounts.account', '=', account)
    .executeTakeFirst()
  return row ? toHolding(row) : nothing
}

interface Row {
  grant: string | null
  grantUpdatedAt: Date | null
  tokens: string | null
  tokensOf: Date | null
  revision: string | null
  lastError: LastError | null
  isFailing: boolean | null
  isGiven: boolean | null
  lastedMs: number
  agoMs: number
  isInterrupted: boolean
}

const nothing: Holding = {
  grant: undefined,
  grantUpdatedAt: noGrant,
  tokens: undefined,
  revision: '0',
  renewedAgoMs: undefined,
  failure: undefined,
  isInterrupted: false,
}

function toHolding({
  isFailing,
  isGiven,
  lastError: error,
  lastedMs,
  agoMs,
  ...row
}: Row): Holding {
  const { tokensOf, isInterrupted } = row
  const grantUpdatedAt = row.grantUpdatedAt ?? noGrant
  const fits = tokensOf?.getTime() === grantUpdatedAt.getTime()
  return {
    grant: row.grant ?? undefined,
    grantUpdatedAt,
    tokens: (fits && row.tokens) || undefined,
    revision: row.revision ?? '0',
    renewedAgoMs: fits && isGiven ? agoMs : undefined,
    failure: isFailing && error ? { error, lastedMs, agoMs } : undefined,
    isInterrupted,
  }
}

/** A new grant, another secret of the application, or somebody who asks for another try by a reconnect: what was before says nothing. */
const isFailing = sql<boolean>`oauth2_tokens.failing_since is not null and oauth2_tokens.updated_at
  >= greatest(accounts.updated_at, credentials.updated_at, oauth2_apps.updated_at)`

/** The same of tokens: what was changed since may have the provider give others. */
const isGiven = sql<boolean>`oauth2_tokens.sealed is not null and oauth2_tokens.failing_since is null
  and oauth2_tokens.updated_at >= greatest(accounts.updated_at, oauth2_apps.updated_at)`

function milliseconds(interval: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(1000 * extract(epoch from ${interval}))::float8`
}

export interface NewTokens {
  sealed: string
  scopes: string[]
  expiresAt: Date | null
}

/**
 * Puts down what the provider gave, unless there is something newer: tokens of a newer grant, or tokens that another replica came by
 * since `from` was read. Whether this one still holds the lease does not matter: an answer that comes late is as good, if nobody
 * else had one.
 */
export async function storeTokens(
  db: Db,
  account: string,
  { from, tokens }: { from: Holding; tokens: NewTokens },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth2Tokens')
    .set({
      ...tokens,
      revision: sql<string>`revision + 1`,
      grantUpdatedAt: from.grantUpdatedAt,
      failingSince: null,
      lastError: null,
      updatedAt: sql<Date>`now()`,
    })
    .where('account', '=', account)
    .where('revision', '=', from.revision)
    .where('grantUpdatedAt', '<=', from.grantUpdatedAt)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Puts down that the provider gave nothing. `again`: as before. */
export async function markRefreshFailed(
  db: Db,
  account: string,
  { error, again }: { error: LastError; again: boolean },
): Promise<void> {
  const now = sql<Date>`now()`
  await db
    .updateTable('oauth2Tokens')
    .set({
      failingSince: again ? sql<Date>`coalesce(failing_since, now())` : now,
      lastError: JSON.stringify(error),
      updatedAt: now,
    })
    .where('account', '=', account)
    .execute()
}
