import type { Db, Tx } from '@posthorn/db'
import { findPerson, type StoredPerson } from './people.ts'

/** Finds the person who is linked to a subject (user) of the OpenID provider. */
export async function findPersonBySubject(
  db: Db,
  subject: string,
): Promise<StoredPerson | undefined> {
  const row = await db
    .selectFrom('adminPeople')
    .select('id')
    .where('oidcSubject', '=', subject)
    .executeTakeFirst()
  return row && (await findPerson(db, row.id))
}

/**
 * Links a person to a subject (user) of the OpenID provider. False if the person is linked to
 * another subject.
 */
export async function linkSubject(tx: Tx, id: string, subject: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('adminPeople')
    .set({ oidcSubject: subject })
    .where('id', '=', id)
    .where('oidcSubject', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
