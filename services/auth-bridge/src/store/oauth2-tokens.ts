import type { LastError } from '@posthorn/contracts'
import type { Db, StoredOAuth2 } from '@posthorn/db'
import { sql } from 'kysely'

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
}

/** The grant of an account and what became of it. Tokens that come from an earlier grant are not told. */
export async function findHolding(db: Db, account: string): Promise<Holding> {
  const row = await db
    .selectFrom('accounts')
    .leftJoin('credentials', (join) =>
      join.onRef('credentials.account', '=', 'accounts.account').on('kind', '=', 'oauth2'),
    )
    .leftJoin('oauth2Tokens', 'oauth2Tokens.account', 'accounts.account')
    .select([
      'credentials.sealed as grant',
      'credentials.updatedAt as grantUpdatedAt',
      'oauth2Tokens.sealed as tokens',
      'oauth2Tokens.grantUpdatedAt as tokensOf',
      'oauth2Tokens.revision',
    ])
    .where('accounts.account', '=', account)
    .executeTakeFirst()
  const grantUpdatedAt = row?.grantUpdatedAt ?? noGrant
  const fits = row?.tokensOf?.getTime() === grantUpdatedAt.getTime()
  return {
    grant: row?.grant ?? undefined,
    grantUpdatedAt,
    tokens: (fits && row?.tokens) || undefined,
    revision: row?.revision ?? '0',
  }
}

export interface Lease {
  account: string
  holder: string
}

/** Takes the right to ask the provider for an account, across replicas. False while another has it. */
export async function claimRefresh(
  db: Db,
  { account, holder }: Lease,
  { grantUpdatedAt, leaseMs }: { grantUpdatedAt: Date; leaseMs: number },
): Promise<boolean> {
  const until = sql<Date>`now() + make_interval(secs => ${leaseMs / 1_000})`
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('oauth2Tokens')
    .values({ account, grantUpdatedAt, refreshing: holder, refreshingUntil: until })
    .onConflict((conflict) =>
      conflict
        .column('account')
        .doUpdateSet({ refreshing: holder, refreshingUntil: until })
        .where(
          sql<boolean>`oauth2_tokens.refreshing is null or oauth2_tokens.refreshing_until < now()`,
        ),
    )
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function releaseRefresh(db: Db, { account, holder }: Lease): Promise<void> {
  await db
    .updateTable('oauth2Tokens')
    .set({ refreshing: null, refreshingUntil: null })
    .where('account', '=', account)
    .where('refreshing', '=', holder)
    .execute()
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

export async function markRefreshFailed(db: Db, account: string, error: LastError): Promise<void> {
  await db
    .updateTable('oauth2Tokens')
    .set({
      failingSince: sql<Date>`coalesce(failing_since, now())`,
      lastError: JSON.stringify(error),
      updatedAt: sql<Date>`now()`,
    })
    .where('account', '=', account)
    .execute()
}
