import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { roleOf, serviceNames } from '@posthorn/contracts/services'
import { connect, statementTimeoutMs } from '@posthorn/db'
import { testDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'
import { describeGrants } from './list-grants.ts'

const database = await testDatabase()
afterAll(() => database.drop())

test('grants: the privileges of each role are those of grants.md', async () => {
  const actual = await describeGrants(database.db)
  const page = await readFile(join(import.meta.dirname, '../grants.md'), 'utf8')
  const folder = join(import.meta.dirname, '../../../.local')
  await mkdir(folder, { recursive: true })
  // The test writes the current grants as `.local/grants.md`. After an intended change of a
  // database grant, copy the written file to libs/db/grants.md.
  await writeFile(join(folder, 'grants.md'), page.slice(0, page.indexOf('## ')) + actual)
  expect(page.slice(page.indexOf('## '))).toBe(actual)
})

test('grants: only the role of auth-bridge can read sealed values', async () => {
  const { rows: columns } = await sql<{ name: string }>`
    select distinct c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attname like '%sealed%' and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`.execute(
    database.db,
  )
  expect(columns.length).toBeGreaterThan(4)
  for (const service of serviceNames.filter((name) => name !== 'auth-bridge')) {
    const db = connect(database.roleUrl(roleOf(service)), { name: 'test', max: 1 })
    for (const { name } of columns) {
      const table = sql.table(name)
      for (const query of [
        sql`select sealed from ${table}`,
        sql`select * from ${table}`,
        sql`select ${table}::text from ${table}`,
        sql`select 1 from ${table} where sealed like 'ey%'`,
        sql`update ${table} set sealed = sealed returning sealed`,
        sql`delete from ${table} returning sealed`,
        sql`copy ${table} to stdout`,
      ])
        await expect(query.execute(db)).rejects.toThrow(/permission denied/)
    }
    await db.destroy()
  }
})

test('grants: each role is denied everything that grants.md does not list', async () => {
  const page = await readFile(join(import.meta.dirname, '../grants.md'), 'utf8')
  // Table partitions are not checked: the service roles can access them through their table only.
  const { rows: tables } = await sql<{ name: string; column: string }>`
    select c.relname as name, a.attname as column from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum = 1
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`.execute(database.db)
  expect(tables.length).toBeGreaterThan(40)
  for (const role of serviceNames.map(roleOf)) {
    const [, section = ''] = page.split(`## ${role}\n`)
    const [listed = ''] = section.split('\n## ')
    await using db = connect(database.roleUrl(role), { name: 'test', max: 1 })
    const attempts = tables.flatMap((table) => forbiddenStatements(table, listed))
    expect(attempts.length).toBeGreaterThan(100)
    const results = []
    for (const { what, statement } of attempts)
      results.push(`${what}: ${await statement.execute(db).then(() => 'done', String)}`)
    const allowed = results.filter((result) => !/permission denied|must be owner/.test(result))
    expect([role, allowed]).toEqual([role, []])
  }
})

/**
 * SQL statements that a role must not run on a table, because grants.md does not list them for the
 * role.
 */
function forbiddenStatements({ name, column }: { name: string; column: string }, listed: string) {
  const [, may = ''] = new RegExp(`^\\| ${name} \\| (.*) \\|$`, 'm').exec(listed) ?? []
  const [table, of] = [sql.table(name), sql.ref(column)]
  const statements = {
    select: sql`select 1 from ${table}`,
    insert: sql`insert into ${table} default values`,
    update: sql`update ${table} set ${of} = default`,
    delete: sql`delete from ${table} where false`,
    truncate: sql`truncate ${table}`,
    alter: sql`alter table ${table} rename column ${of} to renamed`,
    drop: sql`drop table ${table}`,
  }
  return Object.entries(statements)
    .filter(([action]) => !may.includes(action))
    .filter(([action]) => action !== 'select' || name !== 'kysely_migration')
    .map(([action, statement]) => ({ what: `${action} ${name}`, statement }))
}

test.each([
  "select pg_read_file('/etc/passwd')",
  "copy shards to program 'id'",
  "copy shards from '/etc/passwd'",
  'select rolpassword from pg_authid',
  'select passwd from pg_shadow',
  'create role another',
  'create table mine ()',
  'create schema mine',
  'set role pg_read_server_files',
  'set session_replication_role = replica',
  "select lo_import('/etc/passwd')",
  "alter system set log_statement = 'all'",
])('grants: no role may %s', async (statement) => {
  for (const service of serviceNames) {
    // Without the statement timeout of the Postgres role, the statement would be sent in a
    // transaction.
    const options = { name: 'test', max: 1, timeoutMs: statementTimeoutMs(service) }
    await using db = connect(database.roleUrl(roleOf(service)), options)
    await expect(sql.raw(statement).execute(db)).rejects.toThrow(/permission denied|must be/i)
  }
})

test('grants: service roles own nothing, create nothing and are members of nothing', async () => {
  const { rows } = await sql<Record<string, unknown>>`
    select rolname, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as special,
      exists (select 1 from pg_auth_members where member = r.oid) as member,
      exists (select 1 from pg_shdepend where refobjid = r.oid and deptype = 'o') as owner,
      has_schema_privilege(rolname, 'public', 'create') as creates
    from pg_roles r where rolname like 'posthorn\\_%' and rolname = any(${serviceNames.map(roleOf)}) order by 1`.execute(
    database.db,
  )
  expect(rows).toEqual(
    serviceNames
      .map(roleOf)
      .sort()
      .map((rolname) => ({
        rolname,
        special: false,
        member: false,
        owner: false,
        creates: false,
      })),
  )
})
