import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** A table with a column `sealed`, and the columns that tell its rows apart. */
export interface SealedTable {
  readonly name: string
  readonly key: readonly string[]
}

/** Every table that holds sealed values. A new one is entered here, with a grant to update its column, or rotating the key would pass it over. */
export const sealedTables: readonly SealedTable[] = [
  { name: 'credentials', key: ['account', 'kind'] },
  { name: 'gateway_credentials', key: ['gateway'] },
  { name: 'oauth2_app_secrets', key: ['app', 'kind'] },
  { name: 'oauth2_tokens', key: ['account'] },
  { name: 'sealed_settings', key: ['key'] },
]

export interface SealedRow {
  readonly key: readonly string[]
  readonly sealed: string
}

/** The values of a table in the order of its key, behind a key. */
export async function listSealed(
  db: Db,
  { name, key }: SealedTable,
  { after, limit }: { after: readonly string[] | undefined; limit: number },
): Promise<SealedRow[]> {
  const columns = columnsOf(key)
  const behind = after ? sql`and (${columns}) > (${sql.join(after)})` : sql``
  const { rows } = await sql<SealedRow>`
    select array[${columns}] as key, sealed from ${sql.table(name)}
    where sealed is not null ${behind} order by ${columns} limit ${limit}`.execute(db)
  return rows
}

/** Replaces values that are still what they were read as. Returns how many. */
export async function replaceSealed(
  db: Db,
  { name, key }: SealedTable,
  rows: readonly (SealedRow & { resealed: string })[],
): Promise<number> {
  if (rows.length === 0) return 0
  const arrays = [
    ...key.map((_, index) => rows.map((row) => row.key[index] ?? '')),
    rows.map(({ sealed }) => sealed),
    rows.map(({ resealed }) => resealed),
  ].map((values) => sql`${values}::text[]`)
  const same = key.map((column) => sql`t.${sql.ref(column)} = v.${sql.ref(column)}`)
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(name)} as t set sealed = v.resealed
    from unnest(${sql.join(arrays)}) as v (${columnsOf(key)}, found, resealed)
    where ${sql.join(same, sql` and `)} and t.sealed = v.found`.execute(db)
  return Number(numAffectedRows)
}

function columnsOf(key: readonly string[]) {
  return sql.join(key.map((column) => sql.ref(column)))
}
