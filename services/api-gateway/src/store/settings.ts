import type { SettingKey } from '@posthorn/contracts'
import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** What becomes of one setting. A sealed one is stored where only auth-bridge can open it. */
export type SettingChange =
  | ({ key: SettingKey } & ({ value: unknown } | { unset: true }))
  /** With a `value`: what may be seen of it. */
  | { key: SealedKey; sealed: string; value?: unknown }

/** Settings that are sealed, and the key of links, which is none that anybody could set. */
export type SealedKey = SettingKey | 'linkSecret'

export function settingSealContext(key: SealedKey): string {
  return `settings/${key}`
}

/** Which of the sealed settings there are. */
export async function listSealedSettings(db: Db | Tx): Promise<Set<string>> {
  const rows = await db.selectFrom('sealedSettings').select('key').execute()
  return new Set(rows.map(({ key }) => key))
}

/** Writes changes in the order of their names, so that two writers cannot wait for each other. */
export async function writeSettings(tx: Tx, changes: readonly SettingChange[]): Promise<void> {
  for (const change of [...changes].sort((a, b) => a.key.localeCompare(b.key))) {
    const { key } = change
    if ('unset' in change) await removeSetting(tx, key)
    else if (!('sealed' in change)) await putPlain(tx, change)
    else {
      if (change.value !== undefined) await putValue(tx, key, JSON.stringify(change.value))
      await putSealed(tx, key, change.sealed)
    }
  }
}

/** Keeps the service secret that is about to be replaced for so many seconds; 0: not at all. */
export async function retainServiceSecret(tx: Tx, seconds: number): Promise<void> {
  await sql`select keep_previous_service_secret(${seconds}::integer)`.execute(tx)
}

/** What was sealed of the value before it goes. */
async function putPlain(
  tx: Tx,
  { key, value }: { key: SettingKey; value: unknown },
): Promise<void> {
  await tx.deleteFrom('sealedSettings').where('key', '=', key).execute()
  await putValue(tx, key, JSON.stringify(value))
}

/** Wherever it is stored. */
async function removeSetting(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom('settings').where('key', '=', key).execute()
  await tx.deleteFrom('sealedSettings').where('key', '=', key).execute()
}

async function putValue(tx: Tx, key: string, value: string): Promise<void> {
  await tx
    .insertInto('settings')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updatedAt: new Date() }))
    .execute()
}

/** This service's role may write the column and not read it, so `excluded` is out of its reach. */
async function putSealed(tx: Tx, key: SealedKey, sealed: string): Promise<void> {
  await tx
    .insertInto('sealedSettings')
    .values({ key, sealed })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ sealed, updatedAt: new Date() }))
    .execute()
}
