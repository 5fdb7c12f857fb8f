import { expect, test } from '@jest/globals'
import type { CallRequest } from '@posthorn/net/call'
import type { CallResult } from '@posthorn/net/http-caller'
import { createEndpoint } from './endpoint.ts'

const input = { text: 'Hi' }
const made = { choices: [{ message: { content: '{"summary":"Hi."}' } }] }
const response = (status: number | undefined, body: unknown = {}, more: object = {}) => ({
  outcome: '2xx' as const,
  ...(status === undefined ? {} : { status }),
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
  durationMs: 1,
  ...more,
})

function endpointOf(...responses: CallResult[]) {
  const requests: Record<string, unknown>[] = []
  const call = (request: CallRequest) => {
    requests.push(JSON.parse(String(request.body)) as Record<string, unknown>)
    return Promise.resolve(responses.shift() ?? response(200, made))
  }
  const endpoint = createEndpoint({ call })
  const options = { key: 'sk', signal: new AbortController().signal }
  return { requests, summarise: (settings = {}) => endpoint.summarise(input, settings, options) }
}

test.each([
  [response(200, made), 'made'],
  [response(400, { error: { message: 'too long' } }), 'declined'],
  [response(422), 'declined'],
  [response(401), 'refused'],
  [response(302), 'refused'],
  [response(429), 'limited'],
  [response(503), 'broken'],
  [response(200, { hello: 1 }), 'invalid-response'],
  [response(undefined), 'unreachable'],
  [response(200, made, { error: 'broke off' }), 'unreachable'],
])('createEndpoint: response %j, outcome %s', async (result, outcome) => {
  expect(await endpointOf(result).summarise()).toMatchObject({ outcome })
})

test('createEndpoint: reads Retry-After in seconds and ignores dates', async () => {
  const later = { headers: { 'retry-after': '7' } }
  expect(await endpointOf(response(429, {}, later)).summarise()).toMatchObject({
    retryAfterMs: 7_000,
  })
  const unreadable = { headers: { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' } }
  expect(await endpointOf(response(429, {}, unreadable)).summarise()).toMatchObject({
    retryAfterMs: 0,
  })
})

test('createEndpoint: remembers the accepted dialect per endpoint and model', async () => {
  const rejection = response(400, { error: "'response_format.type' must be 'text'" })
  const { requests, summarise } = endpointOf(rejection)
  expect(await summarise()).toMatchObject({ outcome: 'made' })
  expect(await summarise()).toMatchObject({ outcome: 'made' })
  await summarise({ openAiModel: 'another' })
  expect(requests.map((body) => 'response_format' in body)).toEqual([true, false, false, true])
})
