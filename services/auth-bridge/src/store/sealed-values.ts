import type { Accounts, Db, Gateways, OAuth2Apps } from '@posthorn/db'
import type { HeaderOwner } from '@posthorn/secrets'
import { type Selectable, sql } from 'kysely'
import type { SealedColumn } from './sealed-columns.ts'

export interface SealedRow {
  readonly key: readonly string[]
  /**
   * Text of a table column: a sealed (encrypted) value, an address with a sealed login, or a list
   * of headers as JSON.
   */
  readonly sealed: string
  /** Owner of the webhook headers whose values are sealed (encrypted); null for other values. */
  readonly owner: HeaderOwner | null
  /**
   * Registration (account, gateway or OAuth2 application) of the sealed (encrypted) value, read
   * together with the value.
   */
  readonly use: SealedUse | null
}

/**
 * Registration (account, gateway or OAuth2 application) that a sealed (encrypted) value belongs to.
 */
export interface SealedUse {
  account?: Pick<Selectable<Accounts>, 'imap' | 'smtp' | 'proxy'>
  gateway?: Pick<Selectable<Gateways>, 'host' | 'port' | 'secure' | 'username'>
  app?: Pick<Selectable<OAuth2Apps>, 'id' | 'provider' | 'config'> | null
}

/**
 * Lists table rows with sealed (encrypted) values, in the order of their keys, after the key
 * `after`. Some rows may contain nothing to seal.
 */
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
    select array[${texts}] as key, ${value} as sealed, ${ownerOf(column)} as owner, ${useOf(column)} as use from ${sql.table(name)} t
    where ${sql.join(conditions, sql` and `)} order by ${keys} limit ${limit}`.execute(db)
  return rows
}

/**
 * Replaces sealed (encrypted) values, except values that changed after they were read. Returns the
 * number of replaced values.
 */
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
  const sameKey = key.map((part) => sql`t.${sql.ref(part)} = v.${sql.ref(part)}::${type}`)
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(name)} as t set ${sql.ref(inPlace?.column ?? 'sealed')} = ${replacementOf(column)}
    from unnest(${sql.join(arrays)}) as v (${names}, before, resealed)
    where ${sql.join(sameKey, sql` and `)} and ${valueOf(column)} = v.before`.execute(db)
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

const appColumns = sql`jsonb_build_object('id', o.id, 'provider', o.provider, 'config', o.config)`

function useOf({ use }: SealedColumn) {
  if (use === 'account')
    return sql`(select jsonb_build_object('account', to_jsonb(a), 'app',
      (select ${appColumns} from oauth2_apps o where o.id = a.oauth2 ->> 'provider'))
      from accounts a where a.account = t.account)`
  if (use === 'gateway')
    return sql`(select jsonb_build_object('gateway', to_jsonb(g)) from gateways g where g.gateway = t.gateway)`
  if (use === 'app')
    return sql`(select jsonb_build_object('app', ${appColumns}) from oauth2_apps o where o.id = t.app)`
  return sql`null::jsonb`
}

function ownerOf({ inPlace }: SealedColumn) {
  const { owner } = inPlace ?? {}
  if (!owner) return sql`null`
  return owner.kind === 'settings'
    ? sql.lit(owner.kind)
    : sql`${sql.lit(`${owner.kind}/`)} || t.${sql.ref(owner.column)}`
}
