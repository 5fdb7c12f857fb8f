import { operations } from '@posthorn/contracts/operations'
import { expect, test } from '@jest/globals'
import { Posthorn } from './posthorn.ts'

const posthorn = new Posthorn({ url: 'http://api.test/base/', token: 'secret', fetch: respond })
const requests: string[] = []

function respond(url: string | URL | Request): Promise<Response> {
  requests.push(url as string)
  return Promise.resolve(Response.json({ page: 0, pages: 1, accounts: [{ account: 'anna' }] }))
}

test('Posthorn: has a method for each operation of the contracts', () => {
  const methods = Object.keys(posthorn).filter((name) => name !== 'changes')
  const visible = Object.values(operations).filter(
    (operation) => !('hidden' in operation && operation.hidden),
  )
  expect(methods.toSorted()).toEqual(visible.map(({ id }) => id).toSorted())
})

test('Posthorn: methods need no `this`, the URL keeps its path', async () => {
  const { listAccounts } = posthorn
  expect(await listAccounts({ pageSize: 5 })).toMatchObject({ pages: 1 })
  for await (const { account } of listAccounts.all()) expect(account).toBe('anna')
  expect(requests).toEqual([
    'http://api.test/base/v1/accounts?pageSize=5',
    'http://api.test/base/v1/accounts',
  ])
})
