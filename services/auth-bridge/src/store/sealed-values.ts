import { addressSettings } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** A column with sealed values, and the columns that tell the rows of its table apart. */
export interface SealedColumn {
  readonly name: string
  readonly key: readonly string[]
  /** `sealed`, unless it has addresses: in those it is the login that is sealed. */
  readonly address?: AddressColumn
}

interface AddressColumn {
  readonly column: string
  /** How the address is stored: as it is, as JSON, or as the `url` of a JSON object. */
  readonly as: 'text' | 'json' | 'url'
  readonly keyType?: 'uuid'
  /** Only in these rows, by their key. */
  readonly only?: readonly string[]
}

/** Every table with a column `sealed`. A new one is entered here, with a grant to update its column, or rotating the key would pass it over. */
export const sealedTables: readonly SealedColumn[] = [
  { name: 'credentials', key: ['account', 'kind'] },
  { name: 'gateway_credentials', key: ['gateway'] },
  { name: 'oauth2_app_secrets', key: ['app', 'kind'] },
  { name: 'oauth2_tokens', key: ['account'] },
  { name: 'sealed_settings', key: ['key'] },
]

/** The login of the auth server is among the sealed settings as a whole. */
const settings = addressSettings.filter((key) => key !== 'authServer')

/** The same for columns with addresses that may have a login in them. */
export const addressColumns: readonly SealedColumn[] = [
  { name: 'settings', key: ['key'], address: { column: 'value', as: 'json', only: settings } },
  { name: 'accounts', key: ['account'], address: { column: 'webhooks', as: 'text' } },
  { name: 'accounts', key: ['account'], address: { column: 'proxy', as: 'text' } },
  { name: 'webhook_routes', key: ['id'], address: { column: 'target_url', as: 'text' } },
  { name: 'outbox', key: ['queue_id'], address: { column: 'proxy', as: 'text' } },
  {
    name: 'events',
    key: ['event_id'],
    address: { column: 'account_target', as: 'url', keyType: 'uuid' },
  },
]

export interface SealedRow {
  readonly key: readonly string[]
  /** The sealed value, or the address that it is in. */
  readonly sealed: string
}

/** The values of a column in the order of its key, behind a key. Addresses without a login may be among them. */
export async function listSealed(
  db: Db,
  column: SealedColumn,
  { after, limit }: { after: readonly string[] | undefined; limit: number },
): Promise<SealedRow[]> {
  const { name, key, address } = column
  const keys = sql.join(key.map((part) => sql`t.${sql.ref(part)}`))
  const texts = sql.join(key.map((part) => sql`t.${sql.ref(part)}::text`))
  const type = sql.raw(keyTypeOf(column))
  const value = valueOf(column)
  const conditions = [
    address ? sql`${value} like '%://%@%'` : sql`${value} is not null`,
    ...(address?.only ? [sql`${keys} = any(${[...address.only]}::text[])`] : []),
    ...(after ? [sql`(${keys}) > (${sql.join(after.map((part) => sql`${part}::${type}`))})`] : []),
  ]
  const { rows } = await sql<SealedRow>`
    select array[${texts}] as key, ${value} as sealed from ${sql.table(name)} t
    where ${sql.join(conditions, sql` and `)} order by ${keys} limit ${limit}`.execute(db)
  return rows
}

/** Replaces values that are still what they were read as. Returns how many. */
export async function replaceSealed(
  db: Db,
  column: SealedColumn,
  rows: readonly (SealedRow & { resealed: string })[],
): Promise<number> {
  if (rows.length === 0) return 0
  const { name, key, address } = column
  const arrays = [
    ...key.map((_, index) => rows.map((row) => row.key[index] ?? '')),
    rows.map(({ sealed }) => sealed),
    rows.map(({ resealed }) => resealed),
  ].map((values) => sql`${values}::text[]`)
  const type = sql.raw(keyTypeOf(column))
  const names = sql.join(key.map((part) => sql.ref(part)))
  const same = key.map((part) => sql`t.${sql.ref(part)} = v.${sql.ref(part)}::${type}`)
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(name)} as t set ${sql.ref(address?.column ?? 'sealed')} = ${replacementOf(column)}
    from unnest(${sql.join(arrays)}) as v (${names}, found, resealed)
    where ${sql.join(same, sql` and `)} and ${valueOf(column)} = v.found`.execute(db)
  return Number(numAffectedRows)
}

function keyTypeOf({ address }: SealedColumn): 'uuid' | 'text' {
  return address?.keyType ?? 'text'
}

function valueOf({ address }: SealedColumn) {
  const { column = 'sealed', as = 'text' } = address ?? {}
  const stored = sql`t.${sql.ref(column)}`
  if (as === 'json') return sql`(${stored} #>> '{}')`
  return as === 'url' ? sql`(${stored} ->> 'url')` : stored
}

function replacementOf({ address }: SealedColumn) {
  const { column = 'sealed', as = 'text' } = address ?? {}
  if (as === 'json') return sql`to_jsonb(v.resealed)`
  return as === 'url'
    ? sql`jsonb_set(t.${sql.ref(column)}, '{url}', to_jsonb(v.resealed))`
    : sql`v.resealed`
}
