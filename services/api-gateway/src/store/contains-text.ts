import { type RawBuilder, sql, type SqlBool } from 'kysely'

/**
 * SQL condition: the lower-case text `searched` contains a text that a client searches for,
 * ignoring case. A trigram index on `searched` finds texts of at least three characters.
 */
export function containsText(searched: RawBuilder<string>, text: string): RawBuilder<SqlBool> {
  const escaped = text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)
  return sql`${searched} like lower(${`%${escaped}%`})`
}
