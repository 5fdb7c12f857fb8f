import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { roleOf, serviceNames } from '@posthorn/contracts'
import { connect } from '@posthorn/db'
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
  // After an intended change of a grant, copy this file to grants.md.
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
