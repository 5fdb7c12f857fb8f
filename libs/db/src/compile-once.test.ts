import { expect, test } from '@jest/globals'
import { compileOnce } from './compile-once.ts'
import { connect } from './connect.ts'

const db = connect('postgres://nobody@127.0.0.1:1/nowhere', { name: 'test' })

test.each([
  ['another order', (a: string, b: string) => [b, a] as const],
  ['a value changed', (a: string, b: string) => [a, b.toUpperCase()] as const],
])('compileOnce: throws if values are not used unchanged and in order: %s', async (_case, used) => {
  const find = compileOnce((db, account: string, path: string) => {
    const [first, second] = used(account, path)
    return db
      .selectFrom('accounts')
      .select('name')
      .where('account', '=', first)
      .where('email', '=', second)
  })

  await expect(find(db, 'one', 'two')).rejects.toThrow(/in their order: select "name"/)
})

test('compileOnce: builds a statement once per database', async () => {
  let times = 0
  const find = compileOnce((db, account: string) => {
    times += 1
    return db.selectFrom('accounts').select('name').where('account', '=', account)
  })

  for (const account of ['one', 'two'])
    await expect(find(db, account)).rejects.toThrow('ECONNREFUSED')
  expect(times).toBe(1)
})
