import { afterAll, expect, test } from '@jest/globals'
import { mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { call } = await servers.start()
await call('POST', '/v1/account', { body: registration('mine') })

/**
 * API entities whose id the client may choose: path of the operation that creates the entity, its
 * body, and path that reads the entity.
 */
const entities = [
  {
    path: '/v1/oauth2',
    at: '/v1/oauth2/',
    body: {
      name: 'First',
      provider: 'gmail',
      clientId: 'id',
      clientSecret: 'hush',
      redirectUrl: 'https://posthorn.example/oauth',
    },
  },
  {
    path: '/v1/templates/template',
    at: '/v1/templates/template/',
    body: { account: null, name: 'First', content: { text: 'x' } },
  },
  {
    path: '/admin/api/webhookRoutes',
    at: '/v1/webhookRoutes/webhookRoute/',
    body: { name: 'First', targetUrl: 'https://chat.example/hook' },
  },
]

test.each(entities)('POST $path: keeps a chosen id', async ({ path, at, body }) => {
  const id = `AAABgS-UcAYAAAABAA.${path.length}`
  const created = await call('POST', path, { body: { ...body, id } })
  expect([created.status, created.body]).toEqual([
    200,
    expect.objectContaining({ id, created: true }),
  ])
  expect((await call('GET', `${at}${id}`)).body).toMatchObject({ id, name: 'First' })
  // A repeated import of an entity with a chosen id leaves the entity unchanged.
  const again = await call('POST', path, { body: { ...body, id, name: 'Second' } })
  expect([again.status, again.body]).toEqual([200, expect.objectContaining({ id, created: false })])
  expect((await call('GET', `${at}${id}`)).body).toMatchObject({ id, name: 'First' })
})

test.each(entities)(
  'POST $path: concurrent requests with one id create it once',
  async (entity) => {
    const body = { ...entity.body, id: `same-${entity.path.length}` }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('POST', entity.path, { body })),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(answers.filter(({ body }) => body['created'] === true)).toHaveLength(1)
  },
)

test.each(entities)('POST $path: rejects an id that is no name', async ({ path, body }) => {
  const malformed = [
    '',
    'a/b',
    'a b',
    '../x',
    '.',
    '..',
    '.a',
    '-a',
    'ä',
    'x\n',
    'x'.repeat(129),
    7,
  ]
  for (const id of malformed) {
    const { status } = await call('POST', path, { body: { ...body, id } })
    expect([id, status]).toEqual([id, 400])
  }
})

test('createWebhookRoute: rejects the names of the other webhook targets as ids', async () => {
  const body = { name: 'First', targetUrl: 'https://chat.example/hook' }
  const post = (id: string) => call('POST', '/admin/api/webhookRoutes', { body: { ...body, id } })
  for (const id of ['default', 'account']) expect((await post(id)).status).toBe(400)
  for (const id of ['default-2', 'accounts', 'my.account'])
    expect((await post(id)).body).toEqual({ id, created: true })
})

test('createTemplate: for an existing id, returns the owner of the stored template', async () => {
  const body = { account: 'mine', name: 'x', content: { text: 'x' }, id: 'owned' }
  const post = (account: string | null) =>
    call('POST', '/v1/templates/template', { body: { ...body, account } })
  await post('mine')
  expect((await post(null)).body).toEqual({ created: false, account: 'mine', id: 'owned' })
})

test('createTemplate: a token of an account cannot find the ids of others by choosing one', async () => {
  const token = await mint(call, { account: 'mine' })
  const body = { account: 'mine', name: 'x', content: { text: 'x' }, id: 'guessed' }
  const answer = await call('POST', '/v1/templates/template', { body, token })
  expect([answer.status, answer.body['fields']]).toEqual([
    400,
    [expect.objectContaining({ key: 'id' })],
  ])
})
