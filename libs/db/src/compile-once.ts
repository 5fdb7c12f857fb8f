import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './connect.ts'

/**
 * A statement whose text is always the same: it is built at its first use, and run with other values from then on. Building a long one takes more of
 * the processor than all else that reading a row does.
 *
 * `build` must use its values as they are, each once and in their order.
 */
export function compileOnce<Values extends readonly unknown[], Row>(
  build: (db: Db, ...values: Values) => Compilable<Row>,
): (db: Db, ...values: Values) => Promise<Row[]> {
  const built = new WeakMap<Db, CompiledQuery<Row>>()
  const statementOf = (db: Db, values: Values) => {
    const known = built.get(db)
    if (known) return { ...known, parameters: values }
    const made = build(db, ...values).compile()
    const { parameters } = made
    if (parameters.length !== values.length || parameters.some((used, at) => used !== values[at]))
      throw new Error(`the values are not those of the statement, in their order: ${made.sql}`)
    built.set(db, made)
    return made
  }
  return async (db, ...values) => (await db.executeQuery(statementOf(db, values))).rows
}
