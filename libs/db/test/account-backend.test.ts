import { afterAll, expect, test } from '@jest/globals'
import { connect } from '@posthorn/db'
import { testDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'

const database = await testDatabase()
afterAll(() => database.drop())
const { db } = database

test('accounts.backend: imap for a registration of the previous release', async () => {
  await sql`insert into accounts (account, shard, name) values ('old', 1, 'Old')`.execute(db)
  const row = await db.selectFrom('accounts').select('backend').executeTakeFirst()
  expect(row).toEqual({ backend: 'imap' })
})

test('accounts.backend: imap, gmail or graph, nothing else', async () => {
  const insert = (backend: string) =>
    sql`insert into accounts (account, shard, name, backend)
      values (${backend}, 1, 'New', ${backend})`.execute(db)
  for (const backend of ['imap', 'gmail', 'graph']) await insert(backend)
  await expect(insert('pop3')).rejects.toMatchObject({ code: '23514' })
})

test('accounts.backend: set at registration, cannot be changed by a service', async () => {
  await using gateway = connect(database.roleUrl('posthorn_api_gateway'), { name: 'test' })
  const row = { account: 'fixed', shard: 1, name: 'Fixed', backend: 'gmail' as const }
  await gateway.insertInto('accounts').values(row).execute()
  const update = (column: 'name' | 'backend', value: string) =>
    gateway
      .updateTable('accounts')
      .set({ [column]: value })
      .where('account', '=', 'fixed')
      .execute()
  await update('name', 'Renamed')
  await expect(update('backend', 'imap')).rejects.toMatchObject({ code: '42501' })
})
