import type { ColumnType } from 'kysely'

/** A jsonb column: read as the value, written as its JSON text (node-postgres would turn an array into a Postgres array). */
export type Json<T> = ColumnType<T, string, string>
export type JsonOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>
