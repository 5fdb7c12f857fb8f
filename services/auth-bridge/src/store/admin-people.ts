import type { Db } from '@posthorn/db'

/** Seal context of the seed of a person's one-time codes. */
export function totpSealContext(person: string): string {
  return `admin/${person}/totp`
}

/** Finds the sealed (encrypted) seed of a person's one-time codes. Undefined without a seed. */
export async function findSealedSeed(db: Db, person: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('adminPeople')
    .select('sealed')
    .where('id', '=', person)
    .executeTakeFirst()
  return row?.sealed ?? undefined
}

/**
 * Stores the sealed (encrypted) seed of a person's one-time codes. False if the person is unknown
 * or has confirmed another seed.
 */
export async function storeSealedSeed(db: Db, person: string, sealed: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('adminPeople')
    .set({ sealed })
    .where('id', '=', person)
    .where('totpConfirmed', '=', false)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Lists some sealed (encrypted) seeds, with which the private keys are tested. */
export async function listSeedSamples(db: Db): Promise<{ sealed: string; context: string }[]> {
  const rows = await db
    .selectFrom('adminPeople')
    .select(['id', 'sealed'])
    .where('sealed', 'is not', null)
    .limit(3)
    .execute()
  return rows.flatMap(({ id, sealed }) =>
    sealed === null ? [] : [{ sealed, context: totpSealContext(id) }],
  )
}
