import { afterAll, expect, test } from '@jest/globals'
import {
  blockedRecipients,
  countBlocks,
  deleteBlocks,
  insertBlock,
} from '../src/store/lists/lists.ts'
import { mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()
await call('POST', '/v1/account', { body: registration('mine') })

const list = (listId: string, query = '') => call('GET', `/v1/blocklist/${listId}${query}`)
const add = (listId: string, recipient: string, more: object = {}) =>
  call('POST', `/v1/blocklist/${listId}`, { body: { account: 'mine', recipient, ...more } })
const remove = (listId: string, recipient: string) =>
  call('DELETE', `/v1/blocklist/${listId}?recipient=${encodeURIComponent(recipient)}`)
const notFound = { statusCode: 404, error: 'Not Found', message: 'The blocklist was not found' }

test('addToBlocklist: adds an address once, ignoring case', async () => {
  expect((await list('news.example')).body).toEqual(notFound)
  const first = await add('News.Example', 'Eva@Mail.example')
  expect([first.status, first.body]).toEqual([200, { success: true, added: true }])
  const again = await add('news.example', 'eva@mail.EXAMPLE', { reason: 'again' })
  expect(again.body).toEqual({ success: true, added: false })
  expect((await list('NEWS.example')).body).toEqual({
    listId: 'news.example',
    total: 1,
    page: 0,
    pages: 1,
    addresses: [
      {
        recipient: 'eva@mail.example',
        account: 'mine',
        source: 'api',
        reason: 'block',
        remoteAddress: '127.0.0.1',
        created: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ],
  })
})

test('addToBlocklist: Unicode and ASCII forms of an address are equal', async () => {
  await add('idn.example', 'eva@bücher.example')
  await add('idn.example', 'J\u00D6rg@b.example')
  expect((await add('idn.example', 'EVA@XN--bcher-kva.example')).body['added']).toBe(false)
  const addresses = ['eva@BÜCHER.example', 'eva@xn--bcher-kva.example', 'jo\u0308rg@b.example']
  const blocked = await blockedRecipients(db, { account: 'mine', listId: 'idn.example' }, [
    ...addresses,
    'eva@bucher.example',
  ])
  expect([...blocked.keys()]).toEqual(addresses)
  expect((await remove('idn.example', 'eva@bücher.example')).body).toEqual({ deleted: true })
})

test('removeFromBlocklist: removes an address; a list without addresses is a 404', async () => {
  for (const recipient of ['a@b.example', 'c@d.example']) await add('off.example', recipient)
  expect((await remove('OFF.example', 'A@b.example')).body).toEqual({ deleted: true })
  expect((await remove('off.example', 'a@b.example')).body).toEqual({ deleted: false })
  expect((await remove('off.example', 'c@d.example')).body).toEqual({ deleted: true })
  expect((await list('off.example')).body).toEqual(notFound)
  expect((await remove('off.example', 'c@d.example')).body).toEqual(notFound)
})

test('blocklists: one address on the lists of two accounts, is two entries', async () => {
  await call('POST', '/v1/account', { body: registration('second') })
  for (const account of ['mine', 'second'])
    expect((await add('both.example', 'a@b.example', { account })).body['added']).toBe(true)
  const { body } = await list('both.example')
  const addresses = body['addresses'] as { account: string }[]
  expect([body['total'], addresses.map(({ account }) => account).toSorted()]).toEqual([
    2,
    ['mine', 'second'],
  ])
  expect((await remove('both.example', 'a@b.example')).body).toEqual({ deleted: true })
  expect((await list('both.example')).body).toEqual(notFound)
})

test('getBlocklist: returns pages of addresses, newest first', async () => {
  const recipients = ['one@a.example', 'two@a.example', 'three@a.example']
  for (const recipient of recipients) await add('paged.example', recipient, { reason: recipient })
  const page = async (query: string) => {
    const { body } = await list('paged.example', query)
    const addresses = body['addresses'] as { recipient: string }[]
    return [body['total'], body['pages'], addresses.map(({ recipient }) => recipient)]
  }
  expect(await page('?pageSize=2')).toEqual([3, 2, ['three@a.example', 'two@a.example']])
  expect(await page('?pageSize=2&page=1')).toEqual([3, 2, ['one@a.example']])
  expect(await page('?page=5')).toEqual([3, 1, []])
})

test('getBlocklist: contains all fields of a block made by a link', async () => {
  await insertBlock(db, {
    listId: 'links.example',
    recipient: 'a@b.example',
    account: 'gone',
    messageId: '<x@y>',
    source: 'one-click',
    reason: 'unsubscribe',
    remoteAddress: '192.0.2.1',
    userAgent: 'Mail',
  })
  expect((await list('links.example')).body['addresses']).toEqual([
    {
      recipient: 'a@b.example',
      account: 'gone',
      messageId: '<x@y>',
      source: 'one-click',
      reason: 'unsubscribe',
      remoteAddress: '192.0.2.1',
      userAgent: 'Mail',
      created: expect.any(String),
    },
  ])
})

test('listBlocklists: returns the number of addresses per list', async () => {
  await db.deleteFrom('accountListBlocks').execute()
  for (const [listId, recipient] of [
    ['b.example', 'x@a.example'],
    ['a.example', 'x@a.example'],
    ['b.example', 'y@a.example'],
    ['c.example', 'x@a.example'],
  ] as const)
    await add(listId, recipient)
  const { body } = await call('GET', '/v1/blocklists?pageSize=2')
  expect(body).toEqual({
    total: 3,
    page: 0,
    pages: 2,
    blocklists: [
      { listId: 'a.example', count: 1 },
      { listId: 'b.example', count: 2 },
    ],
  })
  expect((await call('GET', '/v1/blocklists?pageSize=2&page=1')).body['blocklists']).toEqual([
    { listId: 'c.example', count: 1 },
  ])
})

test('lists.blocked: stays correct under concurrent writes', async () => {
  const block = (recipient: string) => ({
    listId: 'busy.example',
    recipient,
    account: 'mine',
    messageId: null,
    source: 'form' as const,
    remoteAddress: null,
    userAgent: null,
  })
  const all = Array.from({ length: 30 }, (_, index) => `${index % 10}@a.example`)
  const added = await Promise.all(all.map((recipient) => insertBlock(db, block(recipient))))
  expect(added.filter(Boolean)).toHaveLength(10)
  expect(await countBlocks(db, 'busy.example')).toBe(10)
  await Promise.all([
    ...all.map((recipient) => deleteBlocks(db, 'busy.example', recipient)),
    insertBlock(db, block('stays@a.example')),
  ])
  expect(await countBlocks(db, 'busy.example')).toBe(1)
})

test('blockedRecipients: queries 1,000 recipients with one statement', async () => {
  await add('ask.example', 'Eva@a.example', { reason: 'left' })
  const recipients = ['EVA@a.example', 'eva@a.example', 'other@a.example']
  const list = { account: 'mine', listId: 'Ask.example' }
  expect(await blockedRecipients(db, list, recipients)).toEqual(
    new Map([
      ['EVA@a.example', { reason: 'left' }],
      ['eva@a.example', { reason: 'left' }],
    ]),
  )
  const others = [
    { account: 'mine', listId: 'none.example' },
    { account: 'other', listId: 'ask.example' },
  ]
  for (const other of others)
    expect(await blockedRecipients(db, other, recipients)).toEqual(new Map())
  expect(await blockedRecipients(db, list, [])).toEqual(new Map())
})

test.each<[string, string, object, string]>([
  ['a list that is no host name', 'no%20list', {}, 'listId'],
  ['a list beyond ASCII', 'l%C3%AFst.example', {}, 'listId'],
  ['a recipient that is no address', 'x.example', { recipient: 'missing' }, 'recipient'],
  ['no recipient', 'x.example', { recipient: undefined }, 'recipient'],
  ['no account', 'x.example', { account: undefined }, 'account'],
])('addToBlocklist: %s, responds 400 and stores nothing', async (...[, listId, more, path]) => {
  const { status, body } = await add(listId, 'a@b.example', more)
  expect([status, body.fields?.map((field) => field.path)]).toEqual([400, [path]])
  await expect(countBlocks(db, 'x.example')).rejects.toThrow(notFound.message)
})

test('addToBlocklist: a missing account responds 404 and stores nothing', async () => {
  const { status, body } = await add('x.example', 'a@b.example', { account: 'missing' })
  expect([status, body['message']]).toEqual([404, 'Account record was not found for requested ID'])
  await expect(countBlocks(db, 'x.example')).rejects.toThrow(notFound.message)
})

test('removeFromBlocklist: without a recipient, responds 400', async () => {
  const { status, body } = await call('DELETE', '/v1/blocklist/x.example')
  expect([status, body.fields?.map(({ path }) => path)]).toEqual([400, ['recipient']])
})

test('list_blocks: entries remain after their account is deleted', async () => {
  await call('POST', '/v1/account', { body: registration('leaving') })
  await add('lasting.example', 'a@b.example', { account: 'leaving' })
  await call('DELETE', '/v1/account/leaving')
  expect((await list('lasting.example')).body).toMatchObject({ total: 1 })
})

test('blocklist operations: check permissions and reject account-bound tokens', async () => {
  await add('guarded.example', 'a@b.example')
  const reader = await mint(call, { permissions: { actions: ['read'], groups: ['blocklist'] } })
  const bound = await mint(call, { account: 'mine' })
  const path = '/v1/blocklist/guarded.example'
  const body = { account: 'mine', recipient: 'c@d.example' }
  const statuses = async (token: string) => [
    (await call('GET', '/v1/blocklists', { token })).status,
    (await call('GET', path, { token })).status,
    (await call('POST', path, { token, body })).status,
    (await call('DELETE', `${path}?recipient=a@b.example`, { token })).status,
  ]
  expect(await statuses(reader)).toEqual([200, 200, 403, 403])
  expect(await statuses(bound)).toEqual([403, 403, 403, 403])
})
