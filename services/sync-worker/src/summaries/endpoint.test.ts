import { expect, test } from '@jest/globals'
import type { CallRequest, CallResult } from '@posthorn/net'
import { createEndpoint } from './endpoint.ts'

const input = { text: 'Hi' }
const made = { choices: [{ message: { content: '{"summary":"Hi."}' } }] }
const answer = (status: number | undefined, body: unknown = {}, more: object = {}) => ({
  outcome: '2xx' as const,
  ...(status === undefined ? {} : { status }),
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
  durationMs: 1,
  ...more,
})

function endpointOf(...answers: CallResult[]) {
  const asked: Record<string, unknown>[] = []
  const call = (request: CallRequest) => {
    asked.push(JSON.parse(String(request.body)) as Record<string, unknown>)
    return Promise.resolve(answers.shift() ?? answer(200, made))
  }
  const endpoint = createEndpoint({ call })
  const using = { key: 'sk', signal: new AbortController().signal }
  return { asked, ask: (settings = {}) => endpoint.summarise(input, settings, using) }
}

test.each([
  [answer(200, made), 'made'],
  [answer(400, { error: { message: 'too long' } }), 'declined'],
  [answer(422), 'declined'],
  [answer(401), 'refused'],
  [answer(302), 'refused'],
  [answer(429), 'limited'],
  [answer(503), 'broken'],
  [answer(200, { hello: 1 }), 'nonsense'],
  [answer(undefined), 'unreachable'],
  [answer(200, made, { error: 'broke off' }), 'unreachable'],
])('%j is told as %s', async (result, outcome) => {
  expect(await endpointOf(result).ask()).toMatchObject({ outcome })
})

test('it may ask to be left alone', async () => {
  const later = { headers: { 'retry-after': '7' } }
  expect(await endpointOf(answer(429, {}, later)).ask()).toMatchObject({ retryAfterMs: 7_000 })
  const nonsense = { headers: { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' } }
  expect(await endpointOf(answer(429, {}, nonsense)).ask()).toMatchObject({ retryAfterMs: 0 })
})

test('a form that is refused is not used again, until it is another endpoint', async () => {
  const refusal = answer(400, { error: "'response_format.type' must be 'text'" })
  const { asked, ask } = endpointOf(refusal)
  expect(await ask()).toMatchObject({ outcome: 'made' })
  expect(await ask()).toMatchObject({ outcome: 'made' })
  await ask({ openAiModel: 'another' })
  expect(asked.map((body) => 'response_format' in body)).toEqual([true, false, false, true])
})
