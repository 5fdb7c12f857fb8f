import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { afterAll, expect, test } from '@jest/globals'
import { admin, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { call, url } = await servers.start({ SVC_MAX_BODY_SIZE: '3MB' })
await call('POST', '/v1/account', {
  body: { ...registration('a'), imap: false, email: 'a@mail.example' },
})

const tooLarge = (bytes: number) => ({
  statusCode: 413,
  error: 'Payload Too Large',
  message: `The body is larger than ${bytes} bytes`,
})
const submission = (bytes: number) => ({
  to: [{ address: 'b@mail.example' }],
  text: 'x'.repeat(bytes),
})
const MB = 1024 * 1024

test('body limit: 1 MB, for submissions SVC_MAX_BODY_SIZE', async () => {
  const large = { ...registration('b'), locale: 'x'.repeat(MB) }
  expect((await call('POST', '/v1/account', { body: large })).body).toEqual(tooLarge(MB))
  expect((await call('POST', '/v1/account/a/submit', { body: submission(2 * MB) })).status).toBe(
    200,
  )
  expect((await call('POST', '/v1/account/a/submit', { body: submission(4 * MB) })).body).toEqual(
    tooLarge(3 * MB),
  )
})

const submitted = (body: unknown) => call('POST', '/v1/account/a/submit', { body })
const params = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))

test('a mail merge of 1,000 recipients with 40 parameters each is accepted', async () => {
  const recipients = Array.from({ length: 1_000 }, (_, at) => ({
    to: { name: `Name ${at}`, address: `r${at}@mail.example` },
    params: params(40),
  }))
  const { status, body } = await submitted({ subject: 's', text: '{{k1}}', mailMerge: recipients })
  expect([status, (body as { mailMerge: unknown[] }).mailMerge.length]).toEqual([200, 1_000])
})

test('a body with 200,000 members gets 400 before they are parsed', async () => {
  const refused = (message: string, more: object = {}) => ({
    statusCode: 400,
    error: 'Bad Request',
    message,
    ...more,
  })
  const tooMany = '"render.params" must not have more than 1000 members'
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [at, params(1_000)]))
  expect((await submitted({ ...submission(1), render: { params: many } })).body).toEqual(
    refused('JSON has more than 50000 values'),
  )
  expect((await submitted({ ...submission(1), render: { params: params(1_001) } })).body).toEqual(
    refused(tooMany, {
      fields: [{ path: 'render.params', key: 'params', message: tooMany }],
    }),
  )
  const { body } = await call('POST', '/v1/account', {
    body: { ...registration('c'), webhooksCustomHeaders: Array.from({ length: 20_000 }, () => 0) },
  })
  expect(body).toEqual(refused('JSON has more than 20000 values'))
})

/** Sends the head of a request without its body. */
function announce(path: string, headers: Record<string, string>) {
  const request = httpRequest(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  })
  request.on('error', () => undefined)
  request.flushHeaders()
  return request
}
const statusOf = async (request: ReturnType<typeof announce>) => {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  request.destroy()
  return response.statusCode
}

test('an unauthorized or oversized request is rejected before its body is sent', async () => {
  const length = { 'content-length': String(2 * MB) }
  const authorization = `Bearer ${admin}`
  expect(await statusOf(announce('/v1/account/a/submit', length))).toBe(401)
  expect(
    await statusOf(announce('/v1/account/a/submit', { ...length, authorization: 'Bearer nope' })),
  ).toBe(401)
  expect(await statusOf(announce('/v1/account', { ...length, authorization }))).toBe(413)
  expect(
    await statusOf(
      announce('/v1/account/a/submit', { 'content-length': String(9 * MB), authorization }),
    ),
  ).toBe(413)
})

test('a chunked body is rejected once it exceeds the limit', async () => {
  const request = announce('/v1/account', {
    'transfer-encoding': 'chunked',
    authorization: `Bearer ${admin}`,
  })
  for (let n = 0; n < 20; n += 1) request.write('x'.repeat(MB / 10))
  expect(await statusOf(request)).toBe(413)
})

test('slow bodies of one account: 408, and a submission of 20 MB for another account is stored', async () => {
  const impatient = await servers.start({ SVC_UPLOAD_STALL_TIME: '1s' })
  const patient = await servers.start({ SVC_UPLOAD_STALL_TIME: '2m' })
  await call('POST', '/v1/account', {
    body: { ...registration('c'), imap: false, email: 'c@mail.example' },
  })
  const slow = (base: string) => {
    const request = httpRequest(`${base}/v1/account/c/submit`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'transfer-encoding': 'chunked',
        authorization: `Bearer ${admin}`,
        // With `Expect: 100-continue`, api-gateway replies when it starts to read the request body.
        expect: '100-continue',
      },
    })
    request.on('error', () => undefined)
    request.flushHeaders()
    request.write('{"text": "')
    return request
  }
  const pending = [slow(patient.url)]
  await Promise.all(pending.map(async (request) => once(request, 'continue')))
  pending.push(slow(patient.url))
  const large = await patient.call('POST', '/v1/account/a/submit', { body: submission(20 * MB) })
  expect(large.status).toBe(200)
  for (const request of pending) request.destroy()
  expect(await statusOf(slow(impatient.url))).toBe(408)
})

test.each([
  ['malformed', '{"account":', 'The body is not valid JSON'],
  [
    'poisoned',
    '{"account":"x","name":"x","__proto__":{"logs":true}}',
    '"__proto__" is not allowed as a name',
  ],
  ['too deep', `{"account":${'['.repeat(1000)}`, 'JSON is nested deeper than 100 levels'],
  ['with U+0000', '{"account":"x\\u0000","name":"x"}', 'Text must be Unicode without U+0000'],
  [
    'with half a character',
    '{"account":"x","name":"\\ud800"}',
    'Text must be Unicode without U+0000',
  ],
])('a body that is %s, responds 400', async (...[, body, message]) => {
  expect((await call('POST', '/v1/account', { body })).body).toEqual({
    statusCode: 400,
    error: 'Bad Request',
    message,
  })
})

test('a missing body or a body that is not an object is a validation error', async () => {
  for (const body of ['[]', '"x"', 'null', '5', undefined]) {
    const answer = await call('POST', '/v1/account', body === undefined ? {} : { body })
    expect(answer.body).toMatchObject({
      statusCode: 400,
      message: '"body" must be of type object',
      fields: [{ path: '' }],
    })
  }
})

test('ids that Postgres cannot store and invalid URL encoding respond 400', async () => {
  expect((await call('GET', '/v1/account/a%00b')).status).toBe(400)
  expect((await call('GET', '/v1/accounts?query=%00')).status).toBe(400)
  expect((await call('GET', '/v1/account/%E0%A4%A')).body).toEqual({
    statusCode: 400,
    error: 'Bad Request',
    message: 'The path is not properly encoded',
  })
  expect((await call('GET', `/v1/account/${'x'.repeat(300)}`)).body.fields).toMatchObject([
    { path: 'account' },
  ])
})

test('an unknown path or method responds 404 with a JSON body', async () => {
  const notFound = { statusCode: 404, error: 'Not Found', message: 'Not Found' }
  expect((await call('GET', '/v1/nope')).body).toEqual(notFound)
  expect((await call('PATCH', '/v1/account/a')).body).toEqual(notFound)
  expect((await call('GET', '/')).body).toEqual(notFound)
})
