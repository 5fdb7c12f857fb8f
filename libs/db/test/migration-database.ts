import { eventually, testDatabase } from '@posthorn/testkit'
import { Client } from 'pg'
import { migrate, type MigrateOptions } from '../src/migrate/migrate.ts'
import { parseMigration } from '../src/migrate/migration-files.ts'
import type { MigrationProgress } from '../src/migrate/progress.ts'

/** Kinds of migration progress, by which tests wait. */
type Kind = MigrationProgress['kind']

/** Run of `migrate` with the progress that it has reported so far. */
export interface StartedMigrate {
  readonly progress: MigrationProgress[]
  /** Names of the applied migrations. Rejects with the error of the run. */
  readonly result: Promise<string[]>
  /** Waits until a kind of migration progress was reported `count` times. */
  readonly until: (kind: Kind, count?: number) => Promise<void>
}

/** Postgres database for migrations of a test. */
export class MigrationDatabase {
  readonly url: string
  readonly roleUrl: (role: `posthorn_${string}`) => string
  /** Postgres connection of the test as the database owner. */
  readonly client: Client
  readonly #stack: AsyncDisposableStack
  /** Postgres connections of the running test. */
  readonly #clients: Client[] = []

  private constructor(
    urls: Pick<MigrationDatabase, 'url' | 'roleUrl'>,
    client: Client,
    stack: AsyncDisposableStack,
  ) {
    this.url = urls.url
    this.roleUrl = urls.roleUrl
    this.client = client
    this.#stack = stack
  }

  static async create(): Promise<MigrationDatabase> {
    await using stack = new AsyncDisposableStack()
    const database = stack.adopt(await testDatabase(), (each) => each.drop())
    const client = stack.adopt(await connected(database.ownerUrl, 'test'), (each) => each.end())
    const urls = { url: database.ownerUrl, roleUrl: database.roleUrl }
    return new MigrationDatabase(urls, client, stack.move())
  }

  /** Ends the other Postgres connections and empties the database. */
  async reset(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.end()))
    await this.client.query(
      'drop schema public cascade; create schema public; grant usage on schema public to public',
    )
  }

  /**
   * Connects to Postgres as the database owner, or as the role of a service, until the end of the
   * test.
   */
  async connect(application: string, role?: `posthorn_${string}`): Promise<Client> {
    const url = role === undefined ? this.url : this.roleUrl(role)
    const client = await connected(url, application)
    this.#clients.push(client)
    return client
  }

  /** Opens a transaction that reads tables and stays open, as pg_dump does. */
  async openReader(tables: readonly string[]): Promise<Client> {
    const reader = await this.connect('pg_dump')
    await reader.query('begin isolation level repeatable read')
    for (const table of tables) await reader.query(`select count(*) from ${table}`)
    return reader
  }

  /** Starts `migrate` with migrations by name, or with the migrations of this release. */
  start(migrations?: Readonly<Record<string, string>>, options?: MigrateOptions): StartedMigrate {
    const progress: MigrationProgress[] = []
    const onProgress = (each: MigrationProgress) => void progress.push(each)
    const files = Object.entries(migrations ?? {}).map(([name, text]) => parseMigration(name, text))
    const own = migrations === undefined ? {} : { migrations: files }
    const result = migrate(this.url, { lockTimeoutMs: 300, onProgress, ...own, ...options })
    result.catch(() => undefined) // the result of the migrate run is awaited later
    const until = (kind: Kind, count = 1) =>
      eventually(() => {
        const reported = progress.filter((each) => each.kind === kind).length
        if (reported < count) throw new Error(`${kind} was reported ${reported} times`)
      })
    return { progress, result, until }
  }

  /** Ends the Postgres sessions of `migrate`, as the end of its process does. */
  async killMigrate(): Promise<void> {
    await this.client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'migrate' and datname = current_database()`,
    )
  }

  /** Returns the first column of each row of an SQL query. */
  async list(query: string): Promise<unknown[]> {
    const { rows } = await this.client.query<unknown[]>({ text: query, rowMode: 'array' })
    return rows.map(([value]) => value)
  }

  recorded(): Promise<unknown[]> {
    return this.list('select name from kysely_migration order by name')
  }

  /** Indexes of the database schema with their validity, such as `by_name true`. */
  indexes(): Promise<unknown[]> {
    return this.list(
      `select relname || ' ' || indisvalid from pg_index join pg_class c on c.oid = indexrelid
       where relnamespace = 'public'::regnamespace and not indisprimary order by 1`,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.end()))
    await this.#stack.disposeAsync()
  }
}

async function connected(url: string, application: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: application })
  // the next SQL query on the lost connection reports the error again
  client.on('error', () => undefined)
  await client.connect()
  return client
}
