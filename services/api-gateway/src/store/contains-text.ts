import { type RawBuilder, sql, type SqlBool } from 'kysely'

/**
 * SQL condition: the lower-case SQL expression `searched` contains the text of a search, ignoring
 * case. A trigram index on the expression serves searches for texts of at least three characters.
 */
export function containsText(searched: RawBuilder<string>, text: string): RawBuilder<SqlBool> {
  const escaped = text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)
  return sql`${searched} like lower(${`%${escaped}%`})`
}
