import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './connect.ts'

/**
 * Returns a function that runs a constant SQL statement with the given values. The statement is
 * compiled only once per database, because compiling a long statement takes more CPU time than the
 * rest of reading a row. `build` must use each value unchanged, once, and in order.
 *
 * @throws Error at the first call if `build` breaks this rule
 */
export function compileOnce<Values extends readonly unknown[], Row>(
  build: (db: Db, ...values: Values) => Compilable<Row>,
): (db: Db, ...values: Values) => Promise<Row[]> {
  const compiled = new WeakMap<Db, CompiledQuery<Row>>()
  const statementOf = (db: Db, values: Values) => {
    const cached = compiled.get(db)
    if (cached) return { ...cached, parameters: values }
    const statement = build(db, ...values).compile()
    const { parameters } = statement
    if (parameters.length !== values.length || parameters.some((used, at) => used !== values[at]))
      throw new Error(`Values must be parameters of the statement in their order: ${statement.sql}`)
    compiled.set(db, statement)
    return statement
  }
  return async (db, ...values) => (await db.executeQuery(statementOf(db, values))).rows
}
