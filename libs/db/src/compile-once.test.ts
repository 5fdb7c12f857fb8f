import { expect, test } from '@jest/globals'
import { compileOnce } from './compile-once.ts'
import { connect } from './connect.ts'

const db = connect('postgres://nobody@127.0.0.1:1/nowhere', { name: 'test' })

test.each([
  ['another order', (a: string, b: string) => [b, a] as const],
  ['a value changed', (a: string, b: string) => [a, b.toUpperCase()] as const],
])(
  'a statement is refused before it is run when its values are not used as they came: %s',
  async (_how, used) => {
    const find = compileOnce((db, account: string, path: string) => {
      const [first, second] = used(account, path)
      return db
        .selectFrom('accounts')
        .select('name')
        .where('account', '=', first)
        .where('email', '=', second)
    })

    await expect(find(db, 'one', 'two')).rejects.toThrow(/in their order: select "name"/)
  },
)

test('a statement is built once for a database, whatever its values', async () => {
  let times = 0
  const find = compileOnce((db, account: string) => {
    times += 1
    return db.selectFrom('accounts').select('name').where('account', '=', account)
  })

  for (const account of ['one', 'two'])
    await expect(find(db, account)).rejects.toThrow('ECONNREFUSED')
  expect(times).toBe(1)
})
