import type { ColumnType } from 'kysely'

/**
 * Column of the Postgres type jsonb. Values are written as JSON text, because node-postgres would
 * write an array as a Postgres array.
 */
export type Json<T> = ColumnType<T, string, string>
export type JsonOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>
