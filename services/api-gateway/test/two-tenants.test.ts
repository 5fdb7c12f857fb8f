import { afterAll, expect, test } from '@jest/globals'
import { allOperations } from '@posthorn/contracts/operations'
import { mint } from './gateway.ts'
import { requestWith } from './tenant-requests.ts'
import { everything, tenants } from './tenants.ts'

const world = await tenants()
afterAll(world.stop)
const { call, other, rawStatus, send, stored } = world
const { account = '' } = other
const { own, bound } = await world.newTenant()
const limited = await mint(call, { permissions: everything })
const before = await stored()

const forOperators = allOperations.filter(
  ({ scope, permission }) => scope === '*' || permission.group === 'admin',
)

test.each(forOperators.map((operation) => [operation.id, operation] as const))(
  '%s: rejects tokens with a permissions record, whatever it contains',
  async (_id, operation) => {
    const { path, ...request } = requestWith(operation, other, {})
    const query = operation.id === 'getSettings' ? '?serviceSecret=true' : ''
    const { status } = await send(limited, { ...request, path: path + query })
    expect(status).toBe(403)
  },
)

test.each([
  `/v1/account/${account.replace('o', '%6f')}`,
  `/v1/account/${own['account']}%2f..%2f${account}`,
  `/v1/account/${own['account']}/../${account}`,
  `/v1/account/${account}?account=${own['account']}`,
  `/v1//account/${account}`,
  `/v1/account/${own['account']?.toUpperCase()}`,
  `/v1/templates?account=${own['account']}&account=${account}`,
  `/v1/templates?account[]=${account}`,
  `/v1/templates?account[own]=${account}`,
  `/v1/tokens?account=${own['account']}&account=${account}`,
  `/v1/tokens/account/${account.replace('o', '%6f')}`,
  `/V1/account/${account}`,
])('account-bound token: %s does not bypass the account check', async (path) => {
  for (const method of ['GET', 'HEAD', 'DELETE'])
    expect([403, 404]).toContain(await rawStatus(method, path, bound))
  expect(await stored()).toEqual(before)
})
