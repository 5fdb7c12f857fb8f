import type { AuthenticationForm } from '@posthorn/contracts/schemas/authentication-form'
import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Maximum probes (look-ups and test logins of mail servers, sign-ins) per link of a hosted form,
 * over all replicas.
 */
const maxProbes = 50

export interface FormLink {
  /** Id of the account that the hosted form registers. */
  account: string
  request: AuthenticationForm
  /** Result of the registration by the hosted form; null until the link to the form is used. */
  state: 'new' | 'existing' | null
}

/** Stores the content of a link to the hosted form, valid for 24 h. */
export async function insertFormLink(
  db: Db,
  nonce: string,
  { account, request }: Pick<FormLink, 'account' | 'request'>,
): Promise<void> {
  const expiresAt = sql<Date>`now() + interval '24 hours'`
  const row = { nonce, account, request: JSON.stringify(request), expiresAt }
  await db.insertInto('formLinks').values(row).execute()
}

/** Finds a link to the hosted form that has not expired, whether used or unused. */
export function findFormLink(db: Db, nonce: string): Promise<FormLink | undefined> {
  return validLink(db, nonce).executeTakeFirst()
}

/**
 * Locks a form link until the transaction ends, so that only one of several concurrent uses
 * succeeds.
 */
export function lockFormLink(tx: Tx, nonce: string): Promise<FormLink | undefined> {
  return validLink(tx, nonce).forUpdate().executeTakeFirst()
}

function validLink(db: Db, nonce: string) {
  return db
    .selectFrom('formLinks')
    .select(['account', 'request', 'state'])
    .$castTo<FormLink>()
    .where('nonce', '=', nonce)
    .where(sql<boolean>`expires_at > now()`)
}

/** Marks a form link as used and stores the result of the registration. */
export async function markFormLinkUsed(tx: Tx, nonce: string, state: 'new' | 'existing') {
  await tx.updateTable('formLinks').set({ state }).where('nonce', '=', nonce).execute()
}

/**
 * Counts probes (look-ups and test logins of mail servers, sign-ins) by a link to the hosted form
 * before they start. False if the link has used up its `maxProbes`.
 */
export async function countProbes(db: Db, nonce: string, count: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('formLinks')
    .set({ probes: sql<number>`probes + ${count}::int` })
    .where('nonce', '=', nonce)
    .where(sql<boolean>`probes + ${count}::int <= ${maxProbes}`)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
