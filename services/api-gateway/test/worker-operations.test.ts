import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { accountCommands } from '@posthorn/contracts/commands'
import type { AccountState } from '@posthorn/contracts/schemas/account-state'
import { shardOf } from '@posthorn/contracts/shards'
import { AppError } from '@posthorn/errors'
import { eventually } from '@posthorn/testkit'
import { admin, mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
const { call, url } = await servers.start({ SVC_TIMEOUT: '1h' })
const impatient = await servers.start({ SVC_TIMEOUT: '300ms' })
await call('POST', '/v1/account', { body: registration('held') })
await call('POST', '/v1/account', { body: registration('unheld') })

const { listMailboxes, listMessages, searchMessages, moveMessage, getMessage, getMessageSource } =
  accountCommands
const commands: object[] = []
const source = { sent: 0, cancelled: false }
const page = {
  total: 0,
  page: 0,
  pages: 0,
  nextPageCursor: null,
  prevPageCursor: null,
  messages: [],
}
const silence = Promise.withResolvers<never>()
silence.promise.catch(() => undefined)

const saveState = (account: string, state: AccountState) =>
  servers.db
    .insertInto('accountStates')
    .values({ account, state })
    .onConflict((conflict) => conflict.column('account').doUpdateSet({ state }))
    .execute()

const bus = await servers.connectBus()
await bus.serve({
  queue: 'private',
  keys: [`shard.${shardOf('held')}`],
  handlers: [
    on(listMailboxes, async ({ counters }) => ({
      mailboxes: [
        {
          path: 'INBOX',
          delimiter: '/',
          name: 'INBOX',
          listed: true,
          subscribed: true,
          messages: counters ? 1 : 0,
          uidNext: 2,
        },
      ],
    })),
    on(listMessages, async (request) => {
      commands.push(request)
      // The worker never replies to the command, not even at the deadline: such a reply could
      // overtake the timeout of the gateway.
      if (request.path === 'Slow') await silence.promise
      if (request.path === 'None')
        throw new AppError('not-found', 'No such folder', { code: 'FolderNotFound' })
      if (request.path === 'Refused')
        throw new AppError('provider', 'OAuth2 request failed', {
          status: 409,
          extras: { info: { response: 'Label name exists or conflicts' } },
        })
      if (request.path === 'Limited')
        throw new AppError('rate-limited', 'Quota exceeded', { extras: { ttl: 7 } })
      if (request.path === 'Init')
        throw new AppError('unavailable', 'Not yet', {
          code: 'NotYetConnected',
          extras: { state: 'init' },
        })
      return page
    }),
    on(searchMessages, async (request) => {
      commands.push(request)
      return page
    }),
    on(moveMessage, async (request) => {
      commands.push(request)
      return { path: request.path }
    }),
    on(getMessage, async ({ message, account: _account, ...options }) => ({
      id: message,
      flags: [],
      subject: JSON.stringify(options),
    })),
    on(getMessageSource, async ({ message }) => {
      if (message === 'gone')
        throw new AppError('not-found', 'No such message', { code: 'MessageNotFound' })
      return { response: {}, body: chunks(message) }
    }),
  ],
})
afterAll(async () => {
  silence.reject(new Error('end of the tests'))
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

async function* chunks(message: string): AsyncGenerator<Uint8Array> {
  try {
    for (let n = 0; message === 'endless' || n < 20; n += 1) {
      if (message === 'breaks' && n === 10) throw new Error('the server hung up')
      source.sent += 1
      yield Buffer.alloc(64 * 1024, 'x')
    }
  } finally {
    source.cancelled = true
  }
}

test('worker operations: return the reply of the worker that holds the account', async () => {
  const { body } = await eventually(async () => {
    const answer = await call('GET', '/v1/account/held/mailboxes?counters=true')
    expect(answer.status).toBe(200)
    return answer
  })
  expect(body).toMatchObject({ mailboxes: [{ path: 'INBOX', messages: 1 }] })
  expect(
    (await call('GET', '/v1/account/held/messages?path=INBOX&page=2&pageSize=5')).body,
  ).toEqual(page)
  expect(commands.at(-1)).toEqual({ account: 'held', path: 'INBOX', page: 2, pageSize: 5 })
  const message = await call('GET', '/v1/account/held/message/AAAAAQAAAAE?textType=*&maxBytes=10')
  expect(JSON.parse(String(message.body['subject']))).toEqual({
    textType: '*',
    maxBytes: 10,
    webSafeHtml: false,
    markAsSeen: false,
  })
})

test.each([
  ['textType=*', { webSafeHtml: true, embedAttachedImages: false }],
  ['textType=html&embedAttachedImages=true', { webSafeHtml: true, embedAttachedImages: true }],
  ['textType=plain', { webSafeHtml: false }],
  ['webSafeHtml=true', { webSafeHtml: true }],
])(
  'getMessage: preProcessHtml with %s, requests safe HTML if HTML is requested',
  async (query, options) => {
    const path = `/v1/account/held/message/AAAAAQAAAAE?preProcessHtml=true&${query}`
    const { body } = await eventually(async () => {
      const answer = await call('GET', path)
      expect(answer.status).toBe(200)
      return answer
    })
    const { textType: _textType, markAsSeen: _seen, ...rest } = JSON.parse(String(body['subject']))
    expect(rest).toEqual(options)
  },
)

test('moveMessage: source reaches the worker', async () => {
  const body = { path: 'Archive', source: 'INBOX' }
  await call('PUT', '/v1/account/held/message/AAAAAQAAAAE/move', { body })
  expect(commands.at(-1)).toEqual({ account: 'held', message: 'AAAAAQAAAAE', ...body })
})

test('searchMessages: without a path, reaches the worker', async () => {
  const body = { search: { unseen: true } }
  await call('POST', '/v1/account/held/search?useOutlookSearch=true', { body })
  const paging = { page: 0, pageSize: 20 }
  expect(commands.at(-1)).toEqual({
    account: 'held',
    ...paging,
    ...body,
    useOutlookSearch: true,
  })
})

test('getMessage: markAsSeen needs the permission to write', async () => {
  const token = await mint(call, { permissions: { actions: ['read'], groups: ['message'] } })
  const path = '/v1/account/held/message/AAAAAQAAAAE'
  const refused = await call('GET', `${path}?markAsSeen=true`, { token })
  expect([refused.status, refused.body]).toMatchObject([
    403,
    {
      message: 'Unauthorized permission',
      requiredPermission: { action: 'write', group: 'message' },
    },
  ])
  expect((await call('GET', path, { token })).status).toBe(200)
})

test('worker operations: errors of the worker keep their code and status', async () => {
  expect((await call('GET', '/v1/account/held/messages?path=None')).body).toEqual({
    statusCode: 404,
    error: 'Not Found',
    message: 'No such folder',
    code: 'FolderNotFound',
  })
  expect((await call('GET', '/v1/account/held/messages?path=Init')).body).toMatchObject({
    statusCode: 503,
    code: 'NotYetConnected',
    state: 'init',
  })
})

test('worker operations: the status of a mail API, passed through without a code', async () => {
  expect((await call('GET', '/v1/account/held/messages?path=Refused')).body).toEqual({
    statusCode: 400,
    error: 'Bad Request',
    message: 'OAuth2 request failed',
    info: { response: 'Label name exists or conflicts' },
  })
})

test('tokenAuditLog: a rate limit of a mail API is not a denial of the token', async () => {
  await call('POST', '/v1/settings', { body: { tokenAuditLog: true } })
  const token = await mint(call, {})
  const { status, body } = await call('GET', '/v1/account/held/messages?path=Limited', { token })
  expect([status, body['ttl']]).toEqual([429, 7])
  await eventually(async () => {
    await call('GET', '/v1/account/held/messages?path=Limited', { token })
    const log = await call('GET', `/v1/tokens/${token}/log`)
    const entries = log.body['entries'] as { status: string }[]
    expect(entries[0]?.status).toBe('allowed')
  })
})

test('worker operations: from the registration on, without a worker respond NotYetConnected', async () => {
  await call('POST', '/v1/account', { body: registration('registered') })
  for (const state of [undefined, 'connecting', 'syncing'] as const) {
    if (state) await saveState('registered', state)
    expect((await call('GET', '/v1/account/registered/mailboxes')).body).toMatchObject({
      statusCode: 503,
      code: 'NotYetConnected',
      state: 'init',
      message: expect.stringMatching(/, retry when /),
    })
  }
})

test('worker operations: without a worker respond 503 after the timeout, without an account 404', async () => {
  await saveState('unheld', 'connected')
  // On a busy machine, RabbitMQ may not return an undeliverable command within 200 ms. The API
  // request then gets the status 504.
  await eventually(async () =>
    expect((await impatient.call('GET', '/v1/account/unheld/mailboxes')).body).toMatchObject({
      statusCode: 503,
      code: 'WorkerNotAvailable',
    }),
  )
  expect((await call('GET', '/v1/account/nobody/mailboxes')).body).toMatchObject({
    statusCode: 404,
    message: 'Account record was not found for requested ID',
  })
})

test('worker operations: without a reply respond 504 after SVC_TIMEOUT or X-SVC-Timeout', async () => {
  const slow = '/v1/account/held/messages?path=Slow'
  expect((await impatient.call('GET', slow)).body).toMatchObject({
    statusCode: 504,
    error: 'Gateway Timeout',
    code: 'Timeout',
  })
  // The timeout header of an API request can extend the command timeout, but not shorten it.
  for (const [timeout, atLeastMs] of [
    ['1', 250],
    ['1000', 950],
  ] as const) {
    const started = performance.now()
    const { status } = await impatient.call('GET', slow, { headers: { 'x-svc-timeout': timeout } })
    expect([status, performance.now() - started >= atLeastMs]).toEqual([504, true])
  }
  expect(
    (await call('GET', '/v1/account/held/mailboxes', { headers: { 'x-svc-timeout': 'soon' } })).body
      .fields,
  ).toMatchObject([{ path: 'x-svc-timeout' }])
})

const path = (message: string) => `${url}/v1/account/held/message/${message}/source`
const headers = { authorization: `Bearer ${admin}` }

test('getMessageSource: streams the message unchanged', async () => {
  const response = await fetch(path('fine'), { headers })
  expect(response.headers.get('content-type')).toBe('message/rfc822')
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="fine.eml"; filename*=UTF-8''fine.eml`,
  )
  expect((await response.arrayBuffer()).byteLength).toBe(20 * 64 * 1024)
})

test('getMessageSource: an error before the first byte is a response, a later one resets the connection', async () => {
  const gone = await fetch(path('gone'), { headers })
  expect([gone.status, await gone.json()]).toMatchObject([404, { code: 'MessageNotFound' }])
  const broken = await fetch(path('breaks'), { headers })
  expect(broken.status).toBe(200)
  await expect(broken.arrayBuffer()).rejects.toThrow()
})

test('getMessageSource: a slow client slows the source, a disconnect cancels it', async () => {
  Object.assign(source, { sent: 0, cancelled: false })
  const request = get(path('endless'), { headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  await once(response, 'readable')
  let last = -1
  await eventually(() => {
    const same = source.sent === last
    last = source.sent
    return same && last > 0
  })
  expect(last).toBeLessThan(500) // 32 MB exceed all network buffers by far
  request.destroy()
  await eventually(() => expect(source.cancelled).toBe(true))
})
