import { afterAll, expect, test } from '@jest/globals'
import { allOperations, check, type Operation } from '@posthorn/contracts'
import { mint } from './gateway.ts'
import { bodiesNaming, untried } from './tenant-bodies.ts'
import { requestFor, twoTenants } from './tenants.ts'

const world = await twoTenants()
afterAll(world.stop)
const { call, db, commands, things, stored, rawStatus } = world
const bodies = bodiesNaming(things)

const everything = {
  actions: ['read', 'write', 'send', 'destructive'],
  groups: [...new Set(allOperations.map(({ permission: { group } }) => group).filter(isGranted))],
}
const bound = await mint(call, { account: 'own' })
const boundAndLimited = await mint(call, { account: 'own', permissions: everything })
const limited = await mint(call, { permissions: everything })
const before = await stored()

/** No permissions record can grant `admin`. */
function isGranted(group: string): boolean {
  return group !== 'admin'
}

const byId = (operations: readonly Operation[]) =>
  operations.map((operation) => [operation.id, operation] as const)
const variantsOf = (operation: Operation): (object | undefined)[] =>
  bodies[operation.id] ?? [operation.body ? {} : undefined]

/** True if a token bound to an account passes the checks of the operation. */
const isForAccounts = ({ path, boundBy }: Operation) =>
  path.includes('/:account') || boundBy !== undefined
const takesBody = ({ body, optionalBody }: Operation) => body !== undefined && !optionalBody

test.each(
  byId(allOperations.filter((operation) => isForAccounts(operation) && takesBody(operation))),
)('%s: the test bodies are valid and name objects in all fields that can', (_id, operation) => {
  const tried = bodies[operation.id] ?? []
  expect(tried).not.toEqual([])
  for (const body of tried) if (operation.body) check(operation.body, structuredClone(body))
  expect(untried(operation, tried)).toEqual([])
})

test.each(byId(allOperations))(
  '%s: rejects the id of another account, in path and query',
  async (_id, operation) => {
    for (const token of [bound, boundAndLimited])
      for (const body of variantsOf(operation)) {
        const [method, path, options] = requestFor(operation, things, body)
        const { status } = await call(method, path, { ...options, token })
        if (operation.id === 'createTemplate') expect(status).toBe(200)
        else expect([403, 404]).toContain(status)
      }
    // Objects created with such a token belong to its account, regardless of the body.
    await db.deleteFrom('templates').where('account', '=', 'own').execute()
    expect(await stored()).toEqual(before)
    expect(commands).toEqual([])
  },
)

const foreign = ['message', 'text', 'attachment', 'template', 'app'].map((name) => things[name])
const names = (request: unknown) => foreign.some((id) => JSON.stringify(request).includes(`${id}`))
const within = allOperations.flatMap((operation) =>
  variantsOf(operation)
    .map((body) => requestFor(operation, { ...things, account: 'own' }, body))
    .filter((request) => operation.path.includes('/:account') && names(request))
    .map((request, n) => [`${operation.id} ${n + 1}`, request] as const),
)

/** Operations on templates and delegated grants do not reach the worker. */
const isDecidedHere = (options: object) =>
  ['template', 'app'].some((name) => JSON.stringify(options).includes(`${things[name]}`))

test.each(within)(
  '%s: on the own path, does not find ids of another account',
  async (_id, [method, path, options]) => {
    for (const token of [bound, boundAndLimited]) {
      const { status } = await call(method, path, { ...options, token })
      expect([403, 404]).toContain(status)
    }
    expect(new Set(commands.splice(0).map(({ account }) => account))).toEqual(
      new Set(isDecidedHere(options) ? [] : ['own']),
    )
  },
)

test.each(
  byId(
    allOperations.filter(({ scope, permission }) => scope === '*' || permission.group === 'admin'),
  ),
)('%s: rejects tokens with a permissions record, whatever it contains', async (_id, operation) => {
  for (const body of variantsOf(operation)) {
    const [method, path, options] = requestFor(operation, things, body)
    const query = operation.id === 'getSettings' ? '?serviceSecret=true' : ''
    const { status } = await call(method, path + query, { ...options, token: limited })
    expect(status).toBe(403)
  }
})

test.each([
  '/v1/account/%6fther',
  '/v1/account/own%2f..%2fother',
  '/v1/account/own/../other',
  '/v1/account/other?account=own',
  '/v1//account/other',
  '/v1/account/Own',
  '/v1/templates?account=own&account=other',
  '/v1/templates?account[]=other',
  '/v1/templates?account[own]=other',
  '/v1/tokens?account=own&account=other',
  '/v1/tokens/account/%6fther',
  '/V1/account/other',
])('account-bound token: %s does not bypass the account check', async (path) => {
  for (const method of ['GET', 'HEAD', 'DELETE'])
    expect([403, 404]).toContain(await rawStatus(method, path, bound))
})

test('account-bound tokens: none of these requests changed data', async () => {
  expect(await stored()).toEqual(before)
})
