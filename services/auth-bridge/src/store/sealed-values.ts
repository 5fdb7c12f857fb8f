import { addressSettings } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { HeaderOwner } from '@posthorn/secrets'
import { sql } from 'kysely'

/** A column with sealed values, and the columns that tell the rows of its table apart. */
export interface SealedColumn {
  readonly name: string
  readonly key: readonly string[]
  /** Absent: the column `sealed`, the whole of which is. */
  readonly inPlace?: InPlace
}

interface InPlace {
  readonly column: string
  /** What is sealed in it: the login of an address, or the values of a list of headers. */
  readonly what: 'login' | 'headers'
  /** How it is stored: as it is, as JSON, or as a member of a JSON object. */
  readonly as: 'text' | 'json' | 'url' | 'headers'
  readonly keyType?: 'uuid'
  /** Only in these rows, by their key. */
  readonly only?: readonly string[]
  /** Of headers: whose they are. A column that is named is put behind. */
  readonly owner?: { kind: 'settings' } | { kind: 'account' | 'route'; column: string }
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

const account = { kind: 'account', column: 'account' } as const

/** The same for columns with addresses that may have a login in them, and with headers. */
export const inPlaceColumns: readonly SealedColumn[] = [
  { name: 'settings', key: ['key'], inPlace: login('value', 'json', { only: settings }) },
  { name: 'accounts', key: ['account'], inPlace: login('webhooks', 'text') },
  { name: 'accounts', key: ['account'], inPlace: login('proxy', 'text') },
  { name: 'webhook_routes', key: ['id'], inPlace: login('target_url', 'text') },
  { name: 'outbox', key: ['queue_id'], inPlace: login('proxy', 'text') },
  {
    name: 'events',
    key: ['event_id'],
    inPlace: login('account_target', 'url', { keyType: 'uuid' }),
  },
  {
    name: 'settings',
    key: ['key'],
    inPlace: headers('value', 'json', {
      only: ['webhooksCustomHeaders'],
      owner: { kind: 'settings' },
    }),
  },
  {
    name: 'accounts',
    key: ['account'],
    inPlace: headers('webhooks_custom_headers', 'json', { owner: account }),
  },
  {
    name: 'webhook_routes',
    key: ['id'],
    inPlace: headers('custom_headers', 'json', { owner: { kind: 'route', column: 'id' } }),
  },
  {
    name: 'events',
    key: ['event_id'],
    inPlace: headers('account_target', 'headers', { keyType: 'uuid', owner: account }),
  },
]

type More = Pick<InPlace, 'keyType' | 'only' | 'owner'>

function login(column: string, as: 'text' | 'json' | 'url', more: More = {}): InPlace {
  return { what: 'login', column, as, ...more }
}

function headers(column: string, as: 'json' | 'headers', more: More): InPlace {
  return { what: 'headers', column, as, ...more }
}

export interface SealedRow {
  readonly key: readonly string[]
  /** The sealed value, the address that it is in, or the list of headers as JSON. */
  readonly sealed: string
  /** Of headers. */
  readonly owner: HeaderOwner | null
}

/** The values of a column in the order of its key, behind a key. Such as have nothing to seal in them may be among them. */
export async function listSealed(
  db: Db,
  column: SealedColumn,
  { after, limit }: { after: readonly string[] | undefined; limit: number },
): Promise<SealedRow[]> {
  const { name, key, inPlace } = column
  const keys = sql.join(key.map((part) => sql`t.${sql.ref(part)}`))
  const texts = sql.join(key.map((part) => sql`t.${sql.ref(part)}::text`))
  const type = sql.raw(keyTypeOf(column))
  const value = valueOf(column)
  const conditions = [
    inPlace?.what === 'login' ? sql`${value} like '%://%@%'` : sql`${value} is not null`,
    ...(inPlace?.only ? [sql`${keys} = any(${[...inPlace.only]}::text[])`] : []),
    ...(after ? [sql`(${keys}) > (${sql.join(after.map((part) => sql`${part}::${type}`))})`] : []),
  ]
  const { rows } = await sql<SealedRow>`
    select array[${texts}] as key, ${value} as sealed, ${ownerOf(column)} as owner from ${sql.table(name)} t
    where ${sql.join(conditions, sql` and `)} order by ${keys} limit ${limit}`.execute(db)
  return rows
}

/** Replaces values that are still what they were read as. Returns how many. */
export async function replaceSealed(
  db: Db,
  column: SealedColumn,
  rows: readonly (SealedRow & { stored: string })[],
): Promise<number> {
  if (rows.length === 0) return 0
  const { name, key, inPlace } = column
  const arrays = [
    ...key.map((_, index) => rows.map((row) => row.key[index] ?? '')),
    rows.map(({ sealed }) => sealed),
    rows.map(({ stored }) => stored),
  ].map((values) => sql`${values}::text[]`)
  const type = sql.raw(keyTypeOf(column))
  const names = sql.join(key.map((part) => sql.ref(part)))
  const same = key.map((part) => sql`t.${sql.ref(part)} = v.${sql.ref(part)}::${type}`)
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(name)} as t set ${sql.ref(inPlace?.column ?? 'sealed')} = ${replacementOf(column)}
    from unnest(${sql.join(arrays)}) as v (${names}, found, resealed)
    where ${sql.join(same, sql` and `)} and ${valueOf(column)} = v.found`.execute(db)
  return Number(numAffectedRows)
}

function keyTypeOf({ inPlace }: SealedColumn): 'uuid' | 'text' {
  return inPlace?.keyType ?? 'text'
}

function valueOf({ inPlace }: SealedColumn) {
  const { column = 'sealed', what = 'login', as = 'text' } = inPlace ?? {}
  const stored = sql`t.${sql.ref(column)}`
  if (as === 'headers') return sql`(${stored} -> 'headers')::text`
  if (as === 'url') return sql`(${stored} ->> 'url')`
  if (as === 'text') return stored
  return what === 'login' ? sql`(${stored} #>> '{}')` : sql`${stored}::text`
}

function replacementOf({ inPlace }: SealedColumn) {
  const { column = 'sealed', what = 'login', as = 'text' } = inPlace ?? {}
  const stored = sql`t.${sql.ref(column)}`
  if (as === 'text') return sql`v.resealed`
  const json = what === 'login' ? sql`to_jsonb(v.resealed)` : sql`v.resealed::jsonb`
  return as === 'json' ? json : sql`jsonb_set(${stored}, ${sql.lit(`{${as}}`)}, ${json})`
}

function ownerOf({ inPlace }: SealedColumn) {
  const { owner } = inPlace ?? {}
  if (!owner) return sql`null`
  return owner.kind === 'settings'
    ? sql.lit(owner.kind)
    : sql`${sql.lit(`${owner.kind}/`)} || t.${sql.ref(owner.column)}`
}
