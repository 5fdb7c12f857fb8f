import { type Kysely, sql } from 'kysely'

/** Single SQL statement of a database migration that runs without a transaction. */
export type IndexStatement =
  | { action: 'create'; unique: boolean; index: string; table: string; definition: string }
  | { action: 'drop'; index: string }

const create =
  /^create (?<unique>unique )?index concurrently if not exists (?<index>\w+) on (?:public\.)?(?<table>\w+) (?<definition>\S.*)$/i
const drop = /^drop index concurrently if exists (?<index>\w+)$/i

/**
 * Parses the SQL statement of a database migration that runs without a transaction.
 *
 * @throws unless the text is a single `create index concurrently if not exists` or `drop index
 * concurrently if exists`
 */
export function parseIndexMigration(text: string): IndexStatement {
  const statement = text
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/ ?;$/, '')
  const { unique, index = '', table, definition } = match(statement) ?? {}
  if (index === '' || statement.includes(';'))
    throw new Error(
      'a migration without a transaction is one "create index concurrently if not exists" or "drop index concurrently if exists"',
    )
  if (table === undefined || definition === undefined) return { action: 'drop', index }
  return { action: 'create', unique: unique !== undefined, index, table, definition }
}

function match(statement: string) {
  return (create.exec(statement) ?? drop.exec(statement))?.groups
}

export interface IndexBuildOptions {
  /**
   * Maximum time that a step of an index migration waits for a lock if readers or writers of the
   * table have to wait behind the step.
   */
  lockTimeoutMs: number
  /**
   * Maximum time that a step of an index migration waits for each older transaction if no reader or
   * writer has to wait behind the step.
   */
  maxWaitMs: number
  /**
   * Called with the name of an incomplete Postgres index after the index was dropped. An
   * interrupted build had left the index.
   */
  onDropped: (index: string) => void
}

/**
 * Builds or drops an index without blocking readers and writers of its table. Can be repeated after
 * an interruption at any point, because an incomplete index is dropped and built again.
 */
export async function applyIndexStatement(
  session: Kysely<unknown>,
  statement: IndexStatement,
  options: IndexBuildOptions,
): Promise<void> {
  const builder = new IndexBuilder(session, options)
  if (statement.action === 'drop') return await builder.drop(statement.index)
  const { unique, index, table, definition } = statement
  const what = { create: unique ? 'create unique index' : 'create index', index, definition }
  await ((await builder.isPartitioned(table))
    ? builder.buildPartitioned(what, table)
    : builder.build(what, table))
}

interface IndexDefinition {
  /**
   * First words of the SQL statement that builds an index: `create index` or `create unique index`.
   */
  create: string
  index: string
  definition: string
}

class IndexBuilder {
  readonly #session: Kysely<unknown>
  readonly #options: IndexBuildOptions

  constructor(session: Kysely<unknown>, options: IndexBuildOptions) {
    this.#session = session
    this.#options = options
  }

  async drop(index: string): Promise<void> {
    await this.#patiently(`drop index concurrently if exists public.${index}`)
  }

  /** Builds an index of a Postgres table unless the index exists and is complete. */
  async build({ create, index, definition }: IndexDefinition, table: string): Promise<void> {
    const isValid = await this.#isValid(index)
    if (isValid === true) return
    if (isValid === false) {
      await this.drop(index)
      this.#options.onDropped(index)
    }
    await this.#patiently(`${create} concurrently ${index} on public.${table} ${definition}`)
  }

  /**
   * Builds an index of a partitioned table. First creates an incomplete index of the partitioned
   * table itself. Table partitions that are created later copy this index. Then builds an index for
   * each existing table partition.
   */
  async buildPartitioned(what: IndexDefinition, table: string): Promise<void> {
    const { create, index, definition } = what
    await this.#briefly(`${create} if not exists ${index} on only public.${table} ${definition}`)
    for (;;) {
      const partition = await this.#nextPartition(index, table)
      if (partition === undefined) return
      await this.#buildPartition(what, partition)
    }
  }

  async #buildPartition(what: IndexDefinition, partition: string): Promise<void> {
    // The name of a table partition's index is shortened, because Postgres truncates names of
    // indexes to 63 bytes.
    const index = `${partition}_${what.index}`.slice(0, 63)
    try {
      await this.build({ ...what, index }, partition)
      await this.#briefly(`alter index public.${what.index} attach partition public.${index}`)
    } catch (error) {
      // An error of building the index is ignored if the table partition does not exist any more:
      // the retention job has dropped it in the meantime.
      if (await this.#exists(partition)) throw error
    }
  }

  async isPartitioned(table: string): Promise<boolean> {
    const { rows } = await sql`select from pg_class
      where oid = to_regclass(${`public.${table}`}) and relkind = 'p'`.execute(this.#session)
    return rows.length > 0
  }

  async #exists(table: string): Promise<boolean> {
    const { rows } = await sql`select from pg_class
      where oid = to_regclass(${`public.${table}`})`.execute(this.#session)
    return rows.length > 0
  }

  /**
   * State of a Postgres index. True if the index is valid, false if an interrupted build left it
   * incomplete. Undefined if no index has the name.
   */
  async #isValid(index: string): Promise<boolean | undefined> {
    const { rows } = await sql<{ valid: boolean }>`select indisvalid as valid from pg_index
      where indexrelid = to_regclass(${`public.${index}`})`.execute(this.#session)
    return rows[0]?.valid
  }

  /**
   * Returns the name of a table partition for which no index was attached to the partitioned index
   * yet.
   */
  async #nextPartition(index: string, table: string): Promise<string | undefined> {
    const { rows } = await sql<{ name: string }>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(${`public.${table}`}) and not exists (
        select from pg_inherits part join pg_index x on x.indexrelid = part.inhrelid
        where part.inhparent = to_regclass(${`public.${index}`}) and x.indrelid = c.oid)
      order by c.relname limit 1`.execute(this.#session)
    return rows[0]?.name
  }

  /**
   * Runs an SQL statement on an index that waits for open transactions without blocking other
   * statements, so that a long wait is harmless.
   */
  async #patiently(statement: string): Promise<void> {
    await this.#run(statement, this.#options.maxWaitMs)
  }

  /**
   * Runs an index statement whose wait for a lock makes readers or writers of the table wait, so
   * that only a short wait is allowed.
   */
  async #briefly(statement: string): Promise<void> {
    await this.#run(statement, this.#options.lockTimeoutMs)
  }

  async #run(statement: string, lockTimeoutMs: number): Promise<void> {
    await sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, false)`.execute(
      this.#session,
    )
    await sql.raw(statement).execute(this.#session)
  }
}
