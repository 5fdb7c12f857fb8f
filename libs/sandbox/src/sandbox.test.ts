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
])('Sandbox.apply: filter %j', async (source, applies) => {
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
])('Sandbox.apply: filter %j rejects with a problem', async (source, reason) => {
  const problems = [{ function: 'filter', reason }]
  expect(await filter(source)).toMatchObject({ applies: false, problems })
})

test('Sandbox.apply: without functions, applies and keeps the payload', async () => {
  const result = await sandbox.apply({ filter: null, map: null }, input)
  expect(result).toMatchObject({ applies: true, problems: [] })
  expect(result).not.toHaveProperty('body')
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
])('Sandbox.apply: map %j', async (source, body) => {
  expect(await map(source)).toEqual({ body, problems: [] })
})

test.each(['', 'return null', 'return false', 'return 0', 'return ""', 'payload.data = 1'])(
  'Sandbox.apply: map %j keeps the payload',
  async (source) => {
    expect(await map(source)).toEqual({ body: undefined, problems: [] })
  },
)

test.each([
  ['throw new Error("no")', 'Error: no'],
  ['payload.self = payload; return payload', 'TypeError: circular reference'],
  ['return () => 1', 'returned what has no JSON'],
  ['return "x".repeat(9e6)', 'makes too much'],
])('Sandbox.apply: map %j fails and keeps the payload', async (source, reason) => {
  expect(await map(source)).toEqual({
    body: undefined,
    problems: [{ function: 'map', reason }],
  })
})

test('Sandbox.apply: a rejecting filter skips the map', async () => {
  const functions = { filter: 'return false', map: 'logger.info("called"); return 1' }
  expect(await sandbox.apply(functions, input)).toMatchObject({ applies: false, logs: [] })
})

test('Sandbox.apply: returns the logs', async () => {
  const functions = {
    filter: 'logger.info("a", { b: 1 }); return true',
    map: 'logger.error("c"); for (;;) logger.warn("x".repeat(1e4))',
  }
  const { logs, problems } = await sandbox.apply(functions, input)
  expect(logs).toEqual(['info ["a",{"b":1}]'])
  expect(problems).toHaveLength(1)
})

test('Sandbox.apply: no state survives a call, random numbers differ', async () => {
  const source = `
    const before = [typeof globalThis.mine, Object.prototype.mine, payload.mine, env.mine].join()
    globalThis.mine = Object.prototype.mine = payload.mine = env.mine = 1
    return { before, chance: Math.random() }`
  const filter = `${source.replace('return', 'const result =')}\nreturn result.before === "undefined,,,"`
  const both = { filter, map: source }
  const calls = await Promise.all(Array.from({ length: 50 }, () => sandbox.apply(both, input)))
  const bodies = calls.map(({ body }) => JSON.parse(body ?? 'null') as Record<string, unknown>)
  expect(new Set(bodies.map(({ before }) => before))).toEqual(new Set(['undefined,,,']))
  expect(new Set(bodies.map(({ chance }) => chance)).size).toBe(50)
})

test('Sandbox.apply: a payload that grows the instance does not affect the next call', async () => {
  const large = { ...input, payload: JSON.stringify({ text: 'é'.repeat(2_000_000) }) }
  const functions = { filter: 'return payload.text.length === 2000000', map: 'return payload' }
  const result = await sandbox.apply(functions, large)
  expect(result).toMatchObject({ applies: true, problems: [] })
  expect(result.body).toBe(large.payload)
  expect(await filter('return true')).toMatchObject({ applies: true })
})

test('Sandbox.apply: above inputChars, functions are not called', async () => {
  const large = { ...input, payload: JSON.stringify({ text: 'x'.repeat(9_000_000) }) }
  const reason = 'was not called: the payload is too large'
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
])('Sandbox.matchStatically: filter %j, events a and b: %s, %s', async (source, a, b) => {
  expect(await sandbox.matchStatically(source, 'a')).toBe(a)
  expect(await sandbox.matchStatically(source, 'b')).toBe(b)
})

test.each(['', 'return 1', '// nothing', 'return 1 // that', '"use strict"; return this', '/* */'])(
  'Sandbox.check: %j is valid',
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
])('Sandbox.check: %j is invalid', async (source) => {
  expect(await sandbox.check(source)).toEqual(expect.any(String))
})

test('Sandbox.apply: a skip reason prevents the call', async () => {
  const functions = { filter: 'return true', map: null }
  const reason = 'is suspended'
  expect(await sandbox.apply(functions, input, () => reason)).toEqual({
    applies: false,
    problems: [{ function: 'filter', reason }],
    logs: [],
    usedMs: 0,
  })
})

test('Sandbox: disposal rejects running calls as unavailable', async () => {
  const closing = new Sandbox()
  const running = closing.apply({ filter: 'for (;;);', map: null }, input)
  const waiting = expect(running).rejects.toMatchObject({ kind: 'unavailable' })
  await closing[Symbol.asyncDispose]()
  await waiting
})
