import type { LastError } from '@posthorn/contracts/schemas/account'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import type { GrantTokens } from './oauth2-grants.ts'

/**
 * Seal context of an account's OAuth2 tokens: the storage place to which the encrypted tokens are
 * bound.
 */
export function tokensSealContext(account: string): string {
  return `oauth2-tokens/${account}`
}

interface NewTokens {
  sealed: string
  scopes: string[]
  expiresAt: Date | null
}

/**
 * Stores renewed OAuth2 tokens of an account. Returns false if there is a newer OAuth2 grant, or if
 * another replica has stored tokens after `from` was read. The renewal lease is not checked,
 * because tokens are valid even if they arrive after the lease.
 */
export async function storeTokens(
  db: Db,
  account: string,
  { from, tokens }: { from: GrantTokens; tokens: NewTokens },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth2Tokens')
    .set({
      ...tokens,
      revision: sql<string>`revision + 1`,
      grantUpdatedAt: from.grantUpdatedAt,
      failingSince: null,
      retryAt: null,
      lastError: null,
      updatedAt: sql<Date>`now()`,
    })
    .where('account', '=', account)
    .where('revision', '=', from.revision)
    .where('grantUpdatedAt', '<=', from.grantUpdatedAt)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Stores a failed token renewal of an account. `again`: the previous renewal failed as well. */
export async function markRefreshFailed(
  db: Db,
  account: string,
  { error, again, retrySeconds }: { error: LastError; again: boolean; retrySeconds?: number },
): Promise<void> {
  const now = sql<Date>`now()`
  await db
    .updateTable('oauth2Tokens')
    .set({
      failingSince: again ? sql<Date>`coalesce(failing_since, now())` : now,
      lastError: JSON.stringify(error),
      retryAt:
        retrySeconds === undefined
          ? null
          : sql<Date>`now() + make_interval(secs => ${retrySeconds})`,
      updatedAt: now,
    })
    .where('account', '=', account)
    .execute()
}
