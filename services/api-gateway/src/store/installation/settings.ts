import { randomUUID } from 'node:crypto'
import type { SettingKey } from '@posthorn/contracts/settings/settings'
import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Change of one setting. Sealed values can be unsealed by auth-bridge only. */
export type SettingChange =
  | ({ key: SettingKey } & ({ value: unknown } | { unset: true }))
  /**
   * Value of a sealed (encrypted) setting. `value` is its masked form, if clients may read a masked
   * form.
   */
  | { key: SealedKey; sealed: string; value?: unknown }

/** Key of a sealed setting, or of a kind of secrets of links, which are no settings. */
export type SealedKey = SettingKey | 'linkSecret' | 'importedLinkKey'

export function settingSealContext(key: SealedKey): string {
  return `settings/${key}`
}

/** Keys of the sealed (encrypted) settings that have a value. */
export async function listSealedSettings(db: Db | Tx): Promise<Set<string>> {
  const rows = await db.selectFrom('sealedSettings').select('key').execute()
  return new Set(rows.map(({ key }) => key))
}

/** Writes changes of settings ordered by key, so that concurrent writers cannot deadlock. */
export async function writeSettings(tx: Tx, changes: readonly SettingChange[]): Promise<void> {
  for (const change of [...changes].sort((a, b) => a.key.localeCompare(b.key))) {
    const { key } = change
    if (!('sealed' in change))
      await tx.deleteFrom('sealedSettings').where('key', '=', key).execute()
    if ('unset' in change) await tx.deleteFrom('settings').where('key', '=', key).execute()
    else if (change.value !== undefined) await upsertValue(tx, key, JSON.stringify(change.value))
    if ('sealed' in change) await upsertSealed(tx, key, change.sealed)
  }
}

/**
 * Keeps the previous service secret valid for `seconds` after its replacement. 0 ends its validity
 * immediately.
 */
export async function retainServiceSecret(tx: Tx, seconds: number): Promise<void> {
  await sql`select keep_previous_service_secret(${seconds}::integer)`.execute(tx)
}

/**
 * Replaces the secret that signs links. The earlier secret is kept under a key of its own and stays
 * valid.
 */
export async function replaceLinkSecret(tx: Tx, sealed: string): Promise<void> {
  await tx
    .updateTable('sealedSettings')
    .set({ key: `linkSecret:${randomUUID()}`, updatedAt: new Date() })
    .where('key', '=', 'linkSecret')
    .execute()
  await tx.insertInto('sealedSettings').values({ key: 'linkSecret', sealed }).execute()
}

async function upsertValue(tx: Tx, key: string, value: string): Promise<void> {
  await tx
    .insertInto('settings')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updatedAt: new Date() }))
    .execute()
}

/**
 * Stores a sealed (encrypted) setting. The update repeats the sealed value, because the Postgres
 * role cannot read `excluded`.
 */
async function upsertSealed(tx: Tx, key: SealedKey, sealed: string): Promise<void> {
  await tx
    .insertInto('sealedSettings')
    .values({ key, sealed })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ sealed, updatedAt: new Date() }))
    .execute()
}
