import { createHash } from 'node:crypto'
import type { AccountRegistration } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Registration that waits for the user's consent at the provider. */
export interface PendingRegistration {
  /** Id of the account to register. Fixed now, because the grant is sealed for it. */
  account: string
  /** Body of `POST /v1/account`, without passwords. */
  body: Omit<AccountRegistration, 'account'>
  /** Final redirect; `account` and `state` are appended. */
  redirectUrl: string
  /** True for a shared mailbox, `body.email`, that the user may access. */
  delegated?: boolean
  /** Theme of the result page. */
  theme?: 'light' | 'dark'
}

export interface PendingLogin {
  app: string
  codeVerifier: string
  registration: PendingRegistration
  /** Nonce of the form link; null without a form. */
  form: string | null
}

/** Stores a pending sign-in for 24 h, under the hash of its state. */
export async function insertLogin(db: Db, state: string, { registration, ...login }: PendingLogin) {
  const expiresAt = sql<Date>`now() + interval '24 hours'`
  const row = { ...login, state: hashState(state), expiresAt }
  await db
    .insertInto('oauth2Logins')
    .values({ ...row, registration: JSON.stringify(registration) })
    .execute()
}

/** Deletes and returns the pending sign-in of a state, so that a state works once. */
export function consumeLogin(db: Db, state: string): Promise<PendingLogin | undefined> {
  return db
    .deleteFrom('oauth2Logins')
    .where('state', '=', hashState(state))
    .where(sql<boolean>`expires_at > now()`)
    .returning(['app', 'codeVerifier', 'registration', 'form'])
    .$castTo<PendingLogin>()
    .executeTakeFirst()
}

function hashState(state: string): string {
  return createHash('sha256').update(state).digest('hex')
}
