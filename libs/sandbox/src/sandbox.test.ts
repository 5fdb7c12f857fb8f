import { afterAll, expect, test } from '@jest/globals'
import { Sandbox } from './index.ts'

const sandbox = new Sandbox()
afterAll(() => sandbox[Symbol.asyncDispose]())

const payload = { account: 'a1', event: 'messageNew', data: { subject: 'Grüße\0\u2028' } }
const input = {
  payload: JSON.stringify({ ...payload, eventId: 'e1', _route: { id: 'r1' } }),
  env: '{"greeting":"hi"}',
}
const filter = (source: string) => sandbox.apply({ filter: source, map: null }, input)
const map = async (source: string) => {
  const { body, problems } = await sandbox.apply({ filter: null, map: source }, input)
  return { body: body === undefined ? undefined : (JSON.parse(body) as unknown), problems }
}

test.each([
  ['return true', true],
  ['return payload.event === "messageNew" && payload.eventId === "e1"', true],
  ['if (payload._route.id !== "r1") return false\nreturn true', true],
  ['return env.greeting === "hi"', true],
  ['return false', false],
  ['', false],
  ['return null', false],
])('the filter %j', async (source, applies) => {
  expect(await filter(source)).toMatchObject({ applies, problems: [] })
})

test.each([
  ['return 1', 'returned a value of type number, which is neither true nor false'],
  ['return "true"', 'returned a value of type string, which is neither true nor false'],
  ['return (async () => true)()', 'returned a promise: functions cannot wait for anything'],
  ['return payload.data.from.address', "TypeError: cannot read property 'address' of undefined"],
  ['throw "no"', 'threw no'],
  ['while (true);', 'takes too much time'],
  ['return (', expect.stringContaining('SyntaxError')],
])('the filter %j says no, and why', async (source, reason) => {
  const problems = [{ function: 'filter', reason }]
  expect(await filter(source)).toMatchObject({ applies: false, problems })
})

test('without functions everything applies as it is', async () => {
  const outcome = await sandbox.apply({ filter: null, map: null }, input)
  expect(outcome).toMatchObject({ applies: true, problems: [] })
  expect(outcome).not.toHaveProperty('body')
})

test.each<[string, unknown]>([
  ['return payload', payload],
  ['payload.data = 1; return payload', { ...payload, data: 1 }],
  ['return { ...payload }', payload],
  ['return { all: payload }', { all: payload }],
  ['return { id: payload.eventId, route: payload._route.id }', { id: 'e1', route: 'r1' }],
  ['return [payload.eventId]', ['e1']],
  ['return { eventId: 1, _route: 2, kept: 3 }', { kept: 3 }],
  ['return payload.data.subject', payload.data.subject],
  ['return "\\ud800"', '\ud800'],
])('the map %j', async (source, body) => {
  expect(await map(source)).toEqual({ body, problems: [] })
})

test.each(['', 'return null', 'return false', 'return 0', 'return ""', 'payload.data = 1'])(
  'the map %j leaves the payload as it is',
  async (source) => {
    expect(await map(source)).toEqual({ body: undefined, problems: [] })
  },
)

test.each([
  ['throw new Error("no")', 'Error: no'],
  ['payload.self = payload; return payload', 'TypeError: circular reference'],
  ['return () => 1', 'returned what has no JSON'],
  ['return "x".repeat(9e6)', 'makes too much'],
])('the map %j fails, and the payload stays', async (source, reason) => {
  expect(await map(source)).toEqual({
    body: undefined,
    problems: [{ function: 'map', reason }],
  })
})

test('the map is not asked where the filter says no', async () => {
  const functions = { filter: 'return false', map: 'logger.info("asked"); return 1' }
  expect(await sandbox.apply(functions, input)).toMatchObject({ applies: false, logs: [] })
})

test('what is logged is told', async () => {
  const functions = {
    filter: 'logger.info("a", { b: 1 }); return true',
    map: 'logger.error("c"); for (;;) logger.warn("x".repeat(1e4))',
  }
  const { logs, problems } = await sandbox.apply(functions, input)
  expect(logs).toEqual(['info ["a",{"b":1}]'])
  expect(problems).toHaveLength(1)
})

test('a call knows nothing of the one before, and no two see the same chance', async () => {
  const source = `
    const before = [typeof globalThis.mine, Object.prototype.mine, payload.mine, env.mine].join()
    globalThis.mine = Object.prototype.mine = payload.mine = env.mine = 1
    return { before, chance: Math.random() }`
  const filter = `${source.replace('return', 'const made =')}\nreturn made.before === "undefined,,,"`
  const both = { filter, map: source }
  const calls = await Promise.all(Array.from({ length: 50 }, () => sandbox.apply(both, input)))
  const bodies = calls.map(({ body }) => JSON.parse(body ?? 'null') as Record<string, unknown>)
  expect(new Set(bodies.map(({ before }) => before))).toEqual(new Set(['undefined,,,']))
  expect(new Set(bodies.map(({ chance }) => chance)).size).toBe(50)
})

test('a payload that makes the machine larger is handled, and so is the next', async () => {
  const large = { ...input, payload: JSON.stringify({ text: 'é'.repeat(2_000_000) }) }
  const functions = { filter: 'return payload.text.length === 2000000', map: 'return payload' }
  const outcome = await sandbox.apply(functions, large)
  expect(outcome).toMatchObject({ applies: true, problems: [] })
  expect(outcome.body).toBe(large.payload)
  expect(await filter('return true')).toMatchObject({ applies: true })
})

test('a payload that is too large is not shown', async () => {
  const large = { ...input, payload: JSON.stringify({ text: 'x'.repeat(9_000_000) }) }
  const reason = 'was not asked: the payload is too large'
  expect(await sandbox.apply({ filter: 'return true', map: null }, large)).toMatchObject({
    applies: false,
    problems: [{ function: 'filter', reason }],
  })
})

test.each([
  ['return payload.event === "a"', 'always', 'never'],
  ['if (payload.event !== "a") return false\nreturn payload.data.n > 1', 'depends', 'never'],
  ['return ["a", "b"].includes(payload.event)', 'always', 'always'],
  ['switch (payload.event) { case "a": return true }', 'always', 'never'],
  ['const { event } = payload; return /^a$/.test(event)', 'always', 'never'],
  ['const { event, ...rest } = payload; return event === "a"', 'depends', 'depends'],
  ['return "account" in payload', 'depends', 'depends'],
  ['return env.on', 'depends', 'depends'],
  ['return Math.random() < 2', 'depends', 'depends'],
  ['return new Date() > 0', 'depends', 'depends'],
  ['try { return payload.data.n } catch { return false }', 'depends', 'depends'],
  ['throw payload.event', 'depends', 'depends'],
  ['return payload.event', 'depends', 'depends'],
  ['payload.event = "a"; return payload.event === "a"', 'depends', 'depends'],
  ['', 'never', 'never'],
])('the filter %j says of events a and b: %s, %s', async (source, a, b) => {
  expect(await sandbox.matchStatically(source, 'a')).toBe(a)
  expect(await sandbox.matchStatically(source, 'b')).toBe(b)
})

test.each(['', 'return 1', '// nothing', 'return 1 // that', '"use strict"; return this', '/* */'])(
  '%j is the body of a function',
  async (source) => {
    expect(await sandbox.check(source)).toBeUndefined()
  },
)

test.each([
  'return (',
  'return await x',
  'import x from "y"',
  '})',
  '}); (function () {',
  '}, function () {',
  '}); for (;;); (function () {',
  '/*',
])('%j is not', async (source) => {
  expect(await sandbox.check(source)).toEqual(expect.any(String))
})

test('a call whose turn comes too late is not made', async () => {
  const functions = { filter: 'return true', map: null }
  const reason = 'is left alone'
  expect(await sandbox.apply(functions, input, () => reason)).toEqual({
    applies: false,
    problems: [{ function: 'filter', reason }],
    logs: [],
    usedMs: 0,
  })
})

test('a sandbox that is closed while functions run says so', async () => {
  const closing = new Sandbox()
  const running = closing.apply({ filter: 'for (;;);', map: null }, input)
  const waiting = expect(running).rejects.toMatchObject({ kind: 'unavailable' })
  await closing[Symbol.asyncDispose]()
  await waiting
})
