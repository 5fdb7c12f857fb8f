import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import type { MigrationProgress } from '../src/migrate/progress.ts'
import { MigrationDatabase } from './migration-database.ts'

const database = await MigrationDatabase.create()
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  await database.reset()
  await database.start(base).result
})

const base = {
  '0001-base': `
    create table people (id integer primary key, name text, seen boolean not null default false);
    insert into people (id, name) select n, 'name ' || n from generate_series(1, 2500) n;`,
}
const addColumn = { ...base, '0002-column': 'alter table people add column age integer;' }
const index = {
  ...base,
  '0002-index':
    '-- no transaction\n-- Pages.\ncreate index concurrently if not exists by_name on people (name);\n',
}
const batches = {
  ...base,
  '0002-seen': `-- batches
update people set seen = true where id in (
  select id from people where not seen order by id limit 1000);`,
}
const columns =
  "select column_name::text from information_schema.columns where table_name = 'people'"

function kinds(progress: readonly MigrationProgress[]): string[] {
  return progress.map(({ kind }) => kind)
}

describe('migrate, one transaction per migration', () => {
  test('a failing migration: earlier ones stay, nothing of its own does', async () => {
    const migrations = {
      ...addColumn,
      '0003-broken': 'create table pets (id integer); select 1/0;',
    }
    await expect(database.start(migrations).result).rejects.toThrow('division by zero')
    expect(await database.recorded()).toEqual(['0001-base', '0002-column'])
    const { '0003-broken': _broken, ...others } = migrations
    const fixed = { ...others, '0003-fixed': 'create table pets (id integer);' }
    expect(await database.start(fixed).result).toEqual(['0003-fixed'])
  })

  test('a migration before applied ones: is applied', async () => {
    await database.start(addColumn).result
    const migrations = { ...addColumn, '0001-later-merged': 'create table pets (id integer);' }
    expect(await database.start(migrations).result).toEqual(['0001-later-merged'])
  })

  test('a database with timeouts: do not apply to migrations', async () => {
    const name = String((await database.list('select current_database()'))[0])
    // Timeout that is long enough, on a busy machine, for the migration's first statement, which
    // removes the timeouts of the session.
    for (const setting of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      await database.client.query(`alter database ${name} set ${setting} = 1000`)
    const slow = { ...base, '0002-slow': 'select pg_sleep(1.5);' }
    expect(await database.start(slow).result).toEqual(['0002-slow'])
    await database.client.query(`alter database ${name} reset all`)
  })
})

describe('migrate, beside an open reader', () => {
  test('a lock of the reader: retries, reports the reader, and lets others pass in between', async () => {
    const reader = await database.openReader(['people'])
    const client = await database.connect('api-gateway')
    await client.query('set statement_timeout = 3000')
    const { until, result, progress } = database.start(addColumn)
    await until('blocked')
    // The SQL statement of the client waits behind the migration until the lock timeout of the
    // migration.
    expect((await client.query('select count(*) from people')).rows).toEqual([{ count: '2500' }])
    await until('retry', 2)
    await reader.query('commit')
    expect(await result).toEqual(['0002-column'])
    expect(progress.find(({ kind }) => kind === 'blocked')).toMatchObject({
      migration: '0002-column',
      holders: [{ application: 'pg_dump', role: 'posthorn', state: 'idle in transaction' }],
    })
    // The blocking Postgres session is reported once, although it blocked each attempt of the
    // migration.
    expect(kinds(progress).filter((kind) => kind === 'blocked')).toHaveLength(1)
    expect(await database.list(columns)).toContain('age')
  })

  test('a reader that stays: ends with its name, and a later run continues', async () => {
    const migrations = { '0000-first': 'create table pets (id integer);', ...addColumn }
    const reader = await database.openReader(['people'])
    const { result } = database.start(migrations, { maxWaitMs: 500 })
    await expect(result).rejects.toThrow(
      /^0002-column got no lock in time, last held by pid \d+, application pg_dump, role posthorn, state idle in transaction, transaction of \d+ s, statement of \d+ s\. End that/,
    )
    expect(await database.recorded()).toEqual(['0000-first', '0001-base'])
    await reader.query('commit')
    expect(await database.start(migrations).result).toEqual(['0002-column'])
  })

  test('an index: neither readers nor writers wait while it is built', async () => {
    const reader = await database.openReader(['people'])
    const client = await database.connect('api-gateway')
    await client.query('set lock_timeout = 1')
    const { until, result } = database.start(index)
    await until('blocked')
    await client.query("insert into people (id, name) values (0, 'new')")
    await client.query('select count(*) from people')
    await reader.query('commit')
    expect(await result).toEqual(['0002-index'])
    expect(await database.indexes()).toEqual(['by_name true'])
  })

  test('batches: a locked row delays its batch, and each other batch is committed', async () => {
    const writer = await database.connect('sync-worker')
    await writer.query("begin; update people set name = 'x' where id = 1500")
    const { until, result, progress } = database.start(batches)
    await until('retry')
    expect(await database.list('select count(*)::integer from people where seen')).toEqual([1000])
    await writer.query('commit')
    expect(await result).toEqual(['0002-seen'])
    expect(await database.list('select count(*)::integer from people where seen')).toEqual([2500])
    expect(progress.filter(({ kind }) => kind === 'batch')).toMatchObject([
      { rows: 1000 },
      { rows: 1000 },
      { rows: 1500 },
    ])
  })
})

describe('migrate, interrupted', () => {
  test('in a transaction: leaves nothing and is repeated', async () => {
    await database.openReader(['people'])
    const first = database.start(addColumn)
    await first.until('blocked')
    await database.killMigrate()
    await expect(first.result).rejects.toThrow()
    expect(await database.recorded()).toEqual(['0001-base'])
    await database.client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'pg_dump' and datname = current_database()`,
    )
    expect(await database.start(addColumn).result).toEqual(['0002-column'])
  })

  test('in the build of an index: drops the incomplete index and builds another', async () => {
    const reader = await database.openReader(['people'])
    const first = database.start(index)
    await first.until('blocked')
    await database.killMigrate()
    await expect(first.result).rejects.toThrow()
    await eventually(async () => expect(await database.indexes()).toEqual(['by_name false']))
    await reader.query('commit')
    const second = database.start(index)
    expect(await second.result).toEqual(['0002-index'])
    // The Postgres session of the killed migrate process may still hold its lock for a moment.
    const steps = kinds(second.progress).filter((kind) => kind !== 'blocked')
    expect(steps).toEqual(['started', 'index-dropped', 'applied'])
    expect(await database.indexes()).toEqual(['by_name true'])
  })

  test('between the build of an index and its record: records it', async () => {
    await database.client.query('create index by_name on people (name)')
    expect(await database.start(index).result).toEqual(['0002-index'])
    expect(await database.indexes()).toEqual(['by_name true'])
  })

  test('a unique index of rows that are not unique: can be repeated after their correction', async () => {
    await database.client.query("update people set name = 'name 1' where id = 2")
    const text =
      '-- no transaction\ncreate unique index concurrently if not exists u on people (name);'
    const unique = { ...base, '0002-unique': text }
    await expect(database.start(unique).result).rejects.toThrow('could not create unique index')
    await database.client.query("update people set name = 'name 2' where id = 2")
    expect(await database.start(unique).result).toEqual(['0002-unique'])
    expect(await database.indexes()).toEqual(['u true'])
  })

  test('between batches: continues with the rest', async () => {
    const writer = await database.connect('sync-worker')
    await writer.query("begin; update people set name = 'x' where id = 1500")
    const first = database.start(batches)
    await first.until('blocked')
    await database.killMigrate()
    await expect(first.result).rejects.toThrow()
    await writer.query('commit')
    const second = database.start(batches)
    expect(await second.result).toEqual(['0002-seen'])
    expect(second.progress).toContainEqual({ kind: 'batch', migration: '0002-seen', rows: 1500 })
  })
})

describe('migrate, of an index of a partitioned table', () => {
  const partitioned = {
    '0001-base': `
      create table days (day integer not null, name text) partition by range (day);
      create table days_1 partition of days for values from (1) to (2);
      create table days_2 partition of days for values from (2) to (3);
      create table days_default partition of days default;
      insert into days select n % 4, 'name ' || n from generate_series(1, 2000) n;`,
  }
  const partitionedIndex = {
    ...partitioned,
    '0002-index':
      '-- no transaction\ncreate index concurrently if not exists by_name on days (name);\n',
  }
  const all = ['by_name', 'days_1_by_name', 'days_2_by_name', 'days_default_by_name']
  beforeEach(async () => {
    await database.reset()
    await database.start(partitioned).result
  })

  test('beside open readers of partitions: writers do not wait, and all parts are valid', async () => {
    const reader = await database.openReader(['days_2'])
    const client = await database.connect('api-gateway')
    await client.query('set lock_timeout = 1')
    const { until, result } = database.start(partitionedIndex)
    await until('blocked')
    await client.query("insert into days values (2, 'new')")
    await reader.query('commit')
    expect(await result).toEqual(['0002-index'])
    expect(await database.indexes()).toEqual(all.map((name) => `${name} true`))
  })

  test('interrupted: continues, with partitions that were added meanwhile', async () => {
    const reader = await database.openReader(['days_2'])
    const first = database.start(partitionedIndex)
    await first.until('blocked')
    await database.killMigrate()
    await expect(first.result).rejects.toThrow()
    await database.client.query('create table days_3 partition of days for values from (5) to (6)')
    await reader.query('commit')
    const second = database.start(partitionedIndex)
    expect(await second.result).toEqual(['0002-index'])
    const names = await database.indexes()
    expect(names).toEqual([...all, 'days_3_name_idx'].toSorted().map((name) => `${name} true`))
  })
})

describe('migrate, of an index that is no longer needed', () => {
  const drop = {
    ...index,
    '0003-drop': '-- no transaction\ndrop index concurrently if exists by_name;\n',
  }

  test('beside an open reader: waits without blocking others', async () => {
    await database.start(index).result
    const reader = await database.openReader(['people'])
    const client = await database.connect('api-gateway')
    await client.query('set lock_timeout = 1')
    const { until, result } = database.start(drop)
    await until('blocked')
    await client.query('select count(*) from people')
    await reader.query('commit')
    expect(await result).toEqual(['0003-drop'])
    expect(await database.indexes()).toEqual([])
  })
})

describe('migrate, twice at the same time', () => {
  test('the second one waits for the build of an index and repeats nothing', async () => {
    const reader = await database.openReader(['people'])
    const first = database.start(index)
    await first.until('blocked')
    const second = database.start(index)
    await second.until('queued')
    await reader.query('commit')
    expect(await first.result).toEqual(['0002-index'])
    expect(await second.result).toEqual([])
    expect(second.progress).toMatchObject([
      { kind: 'queued', holders: [{ application: 'migrate' }] },
    ])
  })

  test('the first one is killed: the second one continues', async () => {
    const reader = await database.openReader(['people'])
    const first = database.start(index)
    await first.until('blocked')
    const second = database.start(index)
    await second.until('queued')
    await database.client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'create index %'
       and datname = current_database()`,
    )
    await expect(first.result).rejects.toThrow()
    await second.until('started')
    await reader.query('commit')
    expect(await second.result).toEqual(['0002-index'])
    expect(await database.indexes()).toEqual(['by_name true'])
  })

  test('a migrate of an older release, which holds the lock per transaction: waits for it', async () => {
    const older = await database.connect('migrate of an older release')
    await older.query('begin; select pg_advisory_xact_lock(3853314791062309107)')
    const { until, result } = database.start(addColumn)
    await until('queued')
    await older.query('commit')
    expect(await result).toEqual(['0002-column'])
  })
})
