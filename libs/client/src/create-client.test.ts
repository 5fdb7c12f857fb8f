import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { createClient } from './create-client.ts'
import { PosthornConnectionError, PosthornError } from './calls/errors.ts'
import {
  createExport,
  deleteAccount,
  deleteMessage,
  deleteMessages,
  getLogs,
  getMessage,
  getStats,
  listAccounts,
  searchMessages,
  submitMessage,
  updateSettings,
} from './generated/operations.ts'

interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}
type Respond = (response: ServerResponse, attempt: number) => void

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** Starts a fake API that responds as given, and creates a client of this API. */
async function startApi(respond: Respond, options: object = {}) {
  const requests: Received[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    respond(response, requests.length)
  }
  const server = createServer((request, response) => void receive(request, response))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { client: createClient({ url, token: 'secret', ...options }), requests }
}

const ok: Respond = (response) => response.end('{}')
const fail =
  (status: number, problem: object = {}, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify({ message: 'failed', ...problem }))
/** Fake API behaviour that fails the first attempt of a call and lets further attempts succeed. */
const failOnce =
  (failure: Respond): Respond =>
  (response, attempt) =>
    attempt === 1 ? failure(response, attempt) : ok(response, attempt)
const cut: Respond = (response) => response.destroy()

const submission = { account: 'anna', body: { text: 'Hello' } }

test('createClient: without url, throws an error that names the option', () => {
  expect(() => createClient({ url: undefined })).toThrow('url is missing')
})

test('call: distributes the input to path, query, headers and body', async () => {
  const { client, requests } = await startApi(ok)
  const input = { account: 'a/b', message: 'c%d', textType: '*', timeout: 20_000 } as const
  await getMessage(client, input, { headers: { 'x-request-id': 'r1' } })
  await updateSettings(client, { body: { serviceUrl: 'https://posthorn.example' } })
  expect(requests).toMatchObject([
    {
      method: 'GET',
      url: '/v1/account/a%2Fb/message/c%25d?textType=*',
      headers: { authorization: 'Bearer secret', 'x-svc-timeout': '20000', 'x-request-id': 'r1' },
      body: '',
    },
    {
      method: 'POST',
      url: '/v1/settings',
      headers: { 'content-type': 'application/json' },
      body: '{"serviceUrl":"https://posthorn.example"}',
    },
  ])
})

test('call: without a parameter of the path, throws before a request', async () => {
  const { client, requests } = await startApi(ok)
  expect(() => getMessage(client, { account: 'anna', message: '' })).toThrow(
    'getMessage: message is missing',
  )
  expect(requests).toEqual([])
})

test.each(['.', '..'])('call: with %s in the path, throws before a request', async (message) => {
  const { client, requests } = await startApi(ok)
  expect(() => getMessage(client, { account: 'anna', message })).toThrow(
    `getMessage: message must not be ${message}`,
  )
  expect(requests).toEqual([])
})

test('call: with a function as token, each attempt has the current token', async () => {
  let issued = 0
  const token = () => Promise.resolve(`token-${(issued += 1)}`)
  const { client, requests } = await startApi(failOnce(fail(503)), { token })
  await getStats(client)
  const sent = requests.map(({ headers }) => headers.authorization)
  expect(sent).toEqual(['Bearer token-1', 'Bearer token-2'])
})

test('call: with an error response, throws PosthornError with its members', async () => {
  const problem = {
    statusCode: 400,
    error: 'Bad Request',
    message: 'The input is invalid',
    fields: [{ key: 'path', path: 'path', message: 'path is missing' }],
  }
  const { client } = await startApi(fail(400, problem, { 'x-request-id': 'r7' }))
  const error = await getStats(client).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(PosthornError)
  expect(error).toMatchObject({
    operation: 'getStats',
    status: 400,
    code: undefined,
    message: 'The input is invalid',
    fields: problem.fields,
    requestId: 'r7',
    isRetryable: false,
    problem,
  })
})

test('call: with an error page of a proxy, throws PosthornError with its text', async () => {
  const { client } = await startApi((response) =>
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  )
  await expect(getStats(client)).rejects.toMatchObject({
    status: 502,
    message: '<h1>Bad gateway</h1>',
  })
})

test('call: with JSON of another program, throws PosthornError with its text', async () => {
  const body = '{"message":[1],"fields":"x","ttl":null}'
  const { client } = await startApi((response) => response.writeHead(400).end(body))
  await expect(getStats(client)).rejects.toMatchObject({ status: 400, message: body, fields: [] })
})

test('call: with a redirect, throws and sends the token nowhere else', async () => {
  const { client, requests } = await startApi(fail(302, {}, { location: '/elsewhere' }))
  await expect(getStats(client)).rejects.toMatchObject({ status: 302 })
  expect(requests).toHaveLength(1)
})

test.each<[string, Respond]>([
  ['503', fail(503)],
  ['504', fail(504, { code: 'Timeout' })],
  ['429', fail(429)],
  ['a cut connection', cut],
  [
    'a cut response',
    (response) =>
      response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
  ],
])('call: after %s, repeats reads and searches', async (_name, failure) => {
  const { client, requests } = await startApi(failOnce(failure))
  await getStats(client)
  expect(requests).toHaveLength(2)
})

test.each<[string, Respond]>([
  ['503', fail(503, { code: 'WorkerNotAvailable' })],
  ['504', fail(504, { code: 'Timeout' })],
  ['a cut connection', cut],
])('call: after %s, repeats no POST that may have had an effect', async (_name, failure) => {
  const { client, requests } = await startApi(failOnce(failure))
  const input = { account: 'anna', body: {} } as Parameters<typeof createExport>[1]
  await expect(createExport(client, input)).rejects.toThrow()
  expect(requests).toHaveLength(1)
})

test.each<[string, Respond]>([
  ['503', fail(503, { code: 'WorkerNotAvailable' })],
  ['504', fail(504, { code: 'Timeout' })],
  ['a cut connection', cut],
])('call: after %s, repeats no deletion of messages', async (_name, failure) => {
  const { client, requests } = await startApi(failOnce(failure))
  const message = { account: 'anna', message: 'AAAA' }
  await expect(deleteMessage(client, message)).rejects.toThrow()
  const { client: bulk, requests: bulkRequests } = await startApi(failOnce(failure))
  const search = { account: 'anna', path: 'INBOX', body: { search: {} } }
  await expect(deleteMessages(bulk, search)).rejects.toThrow()
  expect([requests, bulkRequests].map(({ length }) => length)).toEqual([1, 1])
})

test('call: deletions without a trash are repeated', async () => {
  const { client, requests } = await startApi(failOnce(cut))
  await deleteAccount(client, { account: 'anna' })
  expect(requests).toHaveLength(2)
})

test.each<[string, Respond]>([
  ['429', fail(429)],
  ['NotYetConnected', fail(503, { code: 'NotYetConnected' })],
])('call: after %s, which had no effect, repeats any operation', async (_name, failure) => {
  const { client, requests } = await startApi(failOnce(failure))
  await createExport(client, { account: 'anna', body: {} } as Parameters<typeof createExport>[1])
  expect(requests).toHaveLength(2)
})

test('call: searches are repeated, although they are POST requests', async () => {
  const { client, requests } = await startApi(failOnce(cut))
  await searchMessages(client, { account: 'anna', path: 'INBOX', body: { search: {} } })
  expect(requests).toHaveLength(2)
})

test('submissions: all attempts have one idempotency key, each call has its own', async () => {
  const { client, requests } = await startApi(failOnce(cut))
  await submitMessage(client, submission)
  await submitMessage(client, submission)
  await submitMessage(client, { ...submission, idempotencyKey: 'order-7' })
  const keys = requests.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0], keys[2], 'order-7'])
  expect(keys[2]).not.toBe(keys[0])
})

test.each([
  [429, 'QuotaExceeded'],
  [429, 'TooManyExports'],
  [503, 'AuthenticationFails'],
  [503, 'NotSyncing'],
  [503, 'NoAvailable'],
])('call: after %s %s, which needs a change first, fails', async (status, code) => {
  const { client, requests } = await startApi(fail(status, { code, state: 'paused' }))
  const failed = { status, code, state: 'paused', isRetryable: false }
  await expect(getStats(client)).rejects.toMatchObject(failed)
  expect(requests).toHaveLength(1)
})

test('call: waits as long as Retry-After or ttl ask for', async () => {
  const { client, requests } = await startApi(failOnce(fail(429, { ttl: 1 })))
  const start = performance.now()
  await getStats(client)
  expect(performance.now() - start).toBeGreaterThan(990)
  expect(requests).toHaveLength(2)
})

test.each<[string, Respond]>([
  ['Retry-After in seconds', fail(503, {}, { 'retry-after': '60' })],
  ['Retry-After as a date', fail(503, {}, { 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' })],
  ['ttl', fail(429, { ttl: 60 })],
])('call: with a %s after the deadline, fails without waiting', async (_name, failure) => {
  const { client, requests } = await startApi(failure, { retryForMs: 5_000 })
  await expect(getStats(client)).rejects.toMatchObject({ isRetryable: true })
  expect(requests).toHaveLength(1)
})

test('call: with retryForMs 0, has one attempt', async () => {
  const { client, requests } = await startApi(fail(503))
  await expect(getStats(client, {}, { retryForMs: 0 })).rejects.toMatchObject({ status: 503 })
  expect(requests).toHaveLength(1)
})

test('call: without a server, throws PosthornConnectionError with the reason', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const client = createClient({ url: `http://127.0.0.1:${port}`, retryForMs: 0 })
  const error = await listAccounts(client).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(PosthornConnectionError)
  expect(error).toMatchObject({
    operation: 'listAccounts',
    message: expect.stringContaining('ECONNREFUSED'),
  })
})

test('call: when the signal aborts, throws its reason, also while waiting', async () => {
  const { client } = await startApi(fail(503, {}, { 'retry-after': '20' }))
  const controller = new AbortController()
  const call = getStats(client, {}, { signal: controller.signal })
  const reason = new Error('the user left')
  setTimeout(() => controller.abort(reason), 50)
  await expect(call).rejects.toBe(reason)
  await expect(getStats(client, {}, { signal: controller.signal })).rejects.toBe(reason)
})

test('getLogs: returns the text', async () => {
  const { client } = await startApi((response) => response.end('12:00 login\n'))
  expect(await getLogs(client, { account: 'anna' })).toBe('12:00 login\n')
})

test('uploads: a stream has one attempt, bytes are sent again', async () => {
  const { client, requests } = await startApi(failOnce(cut))
  const raw = new Blob(['Subject: Hello\r\n\r\nHello']).stream()
  await expect(submitMessage(client, { ...submission, body: { raw } })).rejects.toThrow()
  expect(requests).toHaveLength(1)
  requests.length = 0
  await submitMessage(client, { ...submission, body: { raw: new Uint8Array([1, 2, 3, 4]) } })
  expect(requests.map(({ body }) => body)).toEqual(['{"raw":"AQIDBA=="}', '{"raw":"AQIDBA=="}'])
})
