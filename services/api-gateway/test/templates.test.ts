import { afterAll, expect, test } from '@jest/globals'
import { type Answer, mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { call } = await servers.start()
for (const account of ['mine', 'other'])
  await call('POST', '/v1/account', { body: registration(account) })
const bound = await mint(call, { account: 'mine' })

const content = { subject: 'Hi {{params.name}}', html: '<p>{{params.name}}</p>' }
const notFound = {
  statusCode: 404,
  error: 'Not Found',
  code: 'NotFound',
  message: 'The template was not found',
}
const unauthorized = { statusCode: 403, error: 'Forbidden', message: 'Unauthorized account' }
const noAccount = {
  statusCode: 404,
  error: 'Not Found',
  message: 'Account record was not found for requested ID',
}

async function create(account: string | null, more: object = {}, token?: string): Promise<Answer> {
  const body = { account, name: 'Welcome', content, ...more }
  return call('POST', '/v1/templates/template', { body, ...(token ? { token } : {}) })
}
const idOf = async (answer: Promise<Answer>) => String((await answer).body['id'])
const at = (id: string) => `/v1/templates/template/${id}`

test('templates: create, read, update, delete', async () => {
  const created = await create('mine', { description: 'First mail', format: 'markdown' })
  const id = String(created.body['id'])
  expect([created.status, created.body]).toEqual([200, { created: true, account: 'mine', id }])
  const read = await call('GET', at(id))
  expect(read.body).toEqual({
    account: 'mine',
    id,
    name: 'Welcome',
    description: 'First mail',
    format: 'markdown',
    created: expect.stringMatching(/^\d{4}-.*Z$/),
    updated: read.body['created'],
    content,
  })
  const changed = await call('PUT', at(id), { body: { name: 'Later', content: { text: 'x' } } })
  expect([changed.status, changed.body]).toEqual([200, { updated: true, account: 'mine', id }])
  const again = (await call('GET', at(id))).body
  expect(again).toMatchObject({ name: 'Later', description: 'First mail', format: 'markdown' })
  expect(again['content']).toEqual({ text: 'x' })
  expect(again['updated']).not.toBe(again['created'])
  expect((await call('DELETE', at(id))).body).toEqual({ deleted: true, account: 'mine', id })
  for (const method of ['GET', 'DELETE'] as const)
    expect((await call(method, at(id))).body).toEqual(notFound)
  expect((await call('PUT', at(id), { body: { name: 'x' } })).body).toEqual(notFound)
})

test('listTemplates: of an account, or shared ones without it, newest first', async () => {
  await call('POST', '/v1/account', { body: registration('listed') })
  const first = await idOf(create('listed'))
  const second = await idOf(create('listed', { name: 'Second' }))
  const shared = await idOf(create(null, { name: 'Shared' }))
  const { body } = await call('GET', '/v1/templates?account=listed&pageSize=1')
  expect(body).toMatchObject({ account: 'listed', total: 2, page: 0, pages: 2 })
  expect(body['templates']).toEqual([
    {
      id: second,
      name: 'Second',
      format: 'html',
      created: expect.any(String),
      updated: expect.any(String),
    },
  ])
  const next = await call('GET', '/v1/templates?account=listed&pageSize=1&page=1')
  expect(next.body['templates']).toMatchObject([{ id: first }])
  const all = await call('GET', '/v1/templates')
  expect(all.body).toMatchObject({ account: null, templates: [{ id: shared, name: 'Shared' }] })
  expect((await call('GET', '/v1/templates?account=missing')).body).toEqual(noAccount)
})

test('createTemplate: a missing account responds 404', async () => {
  expect((await create('missing')).body).toEqual(noAccount)
})

test.each<[string, object, string[]]>([
  ['an open block', { content: { html: 'a\n{{#if x}}', text: '{{x}}' } }, ['content.html']],
  [
    'two mistakes',
    { content: { html: '{{/x}}', subject: '{{y' } },
    ['content.subject', 'content.html'],
  ],
  ['an unknown helper', { content: { text: '{{shout x}}' } }, ['content.text']],
  ['a partial', { content: { text: '{{> x}}' } }, ['content.text']],
  ['a format that is none', { format: 'mjml' }, ['format']],
  ['no name', { name: '' }, ['name']],
  ['no content', { content: undefined }, ['content']],
  ['an unknown text', { content: { amp: '' } }, ['content.amp']],
  ['a long subject', { content: { subject: 'x'.repeat(10_241) } }, ['content.subject']],
  ['a long preview', { content: { previewText: 'x'.repeat(1025) } }, ['content.previewText']],
  ['a long description', { description: 'x'.repeat(1025) }, ['description']],
])('createTemplate: %s, responds 400 and stores nothing', async (...[, more, paths]) => {
  const before = (await call('GET', '/v1/templates?account=mine')).body['total']
  const { status, body } = await create('mine', more)
  expect([status, body.fields?.map(({ path }) => path)]).toEqual([400, paths])
  expect((await call('GET', '/v1/templates?account=mine')).body['total']).toBe(before)
})

test('createTemplate, updateTemplate: an invalid template responds 400 with the line', async () => {
  const id = await idOf(create('mine'))
  const { status, body } = await call('PUT', at(id), {
    body: { name: 'new', content: { html: 'one\ntwo\n{{shout x}}' } },
  })
  expect(status).toBe(400)
  const message = '"content.html" is not a template (line 3): there is no helper "shout"'
  expect(body.fields).toEqual([{ message, key: 'html', path: 'content.html' }])
  expect((await call('GET', at(id))).body).toMatchObject({ name: 'Welcome', content })
})

test('createTemplate: stores a long template', async () => {
  const html = `{{params.name}}${'<p>Long</p>\n'.repeat(200_000)}`
  const id = await idOf(create('mine', { content: { html } }))
  const read = (await call('GET', at(id))).body['content'] as { html: string }
  expect(read.html === html).toBe(true)
})

test('flushTemplates: without force responds 400 ForceRequired', async () => {
  await call('POST', '/v1/account', { body: registration('flushed') })
  const [own, others] = [await idOf(create('flushed')), await idOf(create('other'))]
  for (const query of ['', '?force=false'])
    expect((await call('DELETE', `/v1/templates/account/flushed${query}`)).body).toMatchObject({
      statusCode: 400,
      code: 'ForceRequired',
    })
  expect((await call('GET', at(own))).status).toBe(200)
  const flush = (account: string) => call('DELETE', `/v1/templates/account/${account}?force=true`)
  expect((await flush('flushed')).body).toEqual({ flushed: true, account: 'flushed' })
  expect((await call('GET', at(own))).status).toBe(404)
  expect((await call('GET', at(others))).status).toBe(200)
  expect((await flush('missing')).body).toEqual(noAccount)
})

test('deleteAccount: deletes the templates of the account', async () => {
  await call('POST', '/v1/account', { body: registration('leaving') })
  const id = await idOf(create('leaving'))
  await call('DELETE', '/v1/account/leaving')
  expect((await call('GET', at(id))).body).toEqual(notFound)
})

test('createTemplate: a bound token creates for its account only', async () => {
  for (const account of ['other', null, 'mine'])
    expect((await create(account, {}, bound)).body).toMatchObject({
      created: true,
      account: 'mine',
    })
})

test('listTemplates: a bound token must name its account', async () => {
  const list = (query: string) => call('GET', `/v1/templates${query}`, { token: bound })
  expect((await list('?account=mine')).status).toBe(200)
  for (const query of ['', '?account=other', '?account=mine&account=other'])
    expect((await list(query)).body).toEqual(unauthorized)
})

test('templates: a bound token reads its own and shared ones, and changes its own', async () => {
  const [own, others, shared] = await Promise.all([
    idOf(create('mine')),
    idOf(create('other')),
    idOf(create(null)),
  ])
  const ask = async (method: 'GET' | 'PUT' | 'DELETE', id: string) =>
    (
      await call(method, at(id), {
        token: bound,
        ...(method === 'PUT' ? { body: { name: 'n' } } : {}),
      })
    ).status
  expect(await Promise.all([own, others, shared].map((id) => ask('GET', id)))).toEqual([
    200, 404, 200,
  ])
  expect(await Promise.all([own, others, shared].map((id) => ask('PUT', id)))).toEqual([
    200, 404, 403,
  ])
  expect(await Promise.all([own, others, shared].map((id) => ask('DELETE', id)))).toEqual([
    200, 404, 403,
  ])
  for (const [method, body] of [['GET'], ['PUT', { name: 'n' }], ['DELETE']] as const)
    for (const id of [others, 'none'])
      expect((await call(method, at(id), { token: bound, ...(body && { body }) })).body).toEqual(
        notFound,
      )
  expect(
    (await call('DELETE', '/v1/templates/account/other?force=true', { token: bound })).body,
  ).toEqual(unauthorized)
})

test('templates: permissions are checked', async () => {
  const reader = await mint(call, { permissions: { actions: ['read'], groups: ['template'] } })
  const id = await idOf(create(null))
  expect((await call('GET', at(id), { token: reader })).status).toBe(200)
  expect((await call('DELETE', at(id), { token: reader })).body).toMatchObject({
    statusCode: 403,
    requiredPermission: { action: 'destructive', group: 'template' },
  })
  const other = await mint(call, { permissions: { groups: ['message'] } })
  expect((await call('GET', at(id), { token: other })).status).toBe(403)
})
