import { createHash } from 'node:crypto'
import type { AccountRegistration } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** What a person who signs in at a provider is on the way to. */
export interface PendingRegistration {
  /** What the mailbox becomes: known from the start, for the grant is sealed for it. */
  account: string
  /** As `POST /v1/account` takes it, without passwords. */
  body: Omit<AccountRegistration, 'account'>
  /** Where the person goes then, with `account` and `state`. */
  redirectUrl: string
  /** A shared mailbox that whoever signs in may use: it is that of `body.email`. */
  delegated?: boolean
  /** Of the pages that tell what came of it. */
  theme?: 'light' | 'dark'
}

export interface PendingLogin {
  app: string
  codeVerifier: string
  registration: PendingRegistration
  /** The nonce of the form's link, when there is one. */
  form: string | null
}

/** Stores that somebody is on the way; the state itself is in the person's address bar alone. */
export async function insertLogin(
  db: Db,
  state: string,
  { registration, ...login }: PendingLogin,
): Promise<void> {
  const expiresAt = sql<Date>`now() + interval '24 hours'`
  const row = { ...login, registration: JSON.stringify(registration), expiresAt }
  await db
    .insertInto('oauth2Logins')
    .values({ state: hashState(state), ...row })
    .execute()
}

/** Whoever is on the way by this state; taken out, so that of several that come back one gets it. */
export async function consumeLogin(db: Db, state: string): Promise<PendingLogin | undefined> {
  const row = await db
    .deleteFrom('oauth2Logins')
    .where('state', '=', hashState(state))
    .where(sql<boolean>`expires_at > now()`)
    .returning(['app', 'codeVerifier', 'registration', 'form'])
    .executeTakeFirst()
  return row && { ...row, registration: row.registration as unknown as PendingRegistration }
}

/** Forgets those who never came back. */
export async function deleteExpiredLogins(db: Db): Promise<void> {
  await db
    .deleteFrom('oauth2Logins')
    .where(sql<boolean>`expires_at <= now()`)
    .execute()
}

function hashState(state: string): string {
  return createHash('sha256').update(state).digest('hex')
}
