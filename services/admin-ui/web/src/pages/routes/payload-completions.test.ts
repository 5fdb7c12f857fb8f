import { expect, test } from '@jest/globals'
import { listPayloadMembers } from '@posthorn/contracts/openapi/payload-members'
import type { CompletionList } from '../../editor/completion.ts'
import { completePayload } from './payload-completions.ts'

const payloads = listPayloadMembers()

/** Completes the source text of a webhook route's function at the mark `|`. */
function complete(
  marked: string,
  { isInString = false, isRequested = false } = {},
): CompletionList | undefined {
  const cursor = marked.indexOf('|')
  const before = marked.slice(0, cursor)
  const source = before + marked.slice(cursor + 1)
  return completePayload({ source, before, isInString, isRequested }, payloads)
}

const namesAt = (...input: Parameters<typeof complete>) =>
  complete(...input)?.names.map(({ name }) => name) ?? []

test('completePayload: members of the payload, with the length of the typed part', () => {
  const list = complete('return payload.ev|')
  expect(list?.typedLength).toBe(2)
  expect(list?.names.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['account', 'data', 'event', 'eventId', '_route', 'serviceUrl']),
  )
  expect(list?.names.find(({ name }) => name === 'serviceUrl')).toEqual({
    name: 'serviceUrl',
    type: 'string | null',
  })
})

test.each([
  ['payload.data.from.|', ['name', 'address']],
  ['payload?.data?.from?.|', ['name', 'address']],
  ['payload.data\n  .from\n  .na|', ['name', 'address']],
  ["payload['data'].from.|", ['name', 'address']],
  ['payload.data.to[0].|', ['name', 'address']],
  ['payload.data.to.|', []],
  ['payload.data.from[0].|', []],
  ['payload.data.subject.|', []],
  ['payload.data.nothing.|', []],
  ['payload.toString.|', []],
  ['payload._route.|', ['id']],
  ['other.payload.|', []],
  ['mypayload.|', []],
  ['logger.|', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'log']],
  ['env.|', []],
])('completePayload: %j offers %j', (source, expected) => {
  const names = namesAt(source)
  expect(names.toSorted()).toEqual(expected.toSorted())
})

test('completePayload: without a named event, the events of a member are named', () => {
  const names = complete('payload.data.|')?.names ?? []
  const infoOf = (member: string) => names.find(({ name }) => name === member)?.info
  expect(infoOf('seemsLikeNew')).toBe('In messageNew')
  expect(infoOf('messageId')).toMatch(/^In \w+(?:, \w+){5} and \d+ more$/)
})

test('completePayload: compared events restrict the members, excluded events do not', () => {
  const ofEvent = namesAt("if (payload.event === 'messageNew') return payload.data.|")
  expect(ofEvent).toContain('subject')
  expect(ofEvent).not.toContain('serverResponseCode')
  const ofTwo = namesAt(
    'switch (payload.event) { case "messageNew": case "connectError": payload.data.| }',
  )
  expect(ofTwo).toEqual(expect.arrayContaining(['subject', 'serverResponseCode']))
  expect(ofTwo).not.toContain('uidValidity')
  const others = namesAt("if (payload.event !== 'messageNew') return payload.data.|")
  expect(others).toEqual(expect.arrayContaining(['subject', 'serverResponseCode']))
})

test.each([
  ['const { data } = payload\nreturn data.from.|', ['name', 'address']],
  ['const { data: content } = payload;\nreturn content.from.|', ['name', 'address']],
  ['const sender = payload.data.from\nreturn sender.|', ['name', 'address']],
  ['const { data } = payload\nconst { from: f } = data\nreturn f.|', ['name', 'address']],
  ['const first = payload.data.to[0]\nfirst.|', ['name', 'address']],
  ['const data = other\ndata.|', []],
])('completePayload: %j follows the declarations', (source, expected) => {
  expect(namesAt(source).toSorted()).toEqual(expected.toSorted())
})

test('completePayload: variables after a letter, or on request', () => {
  expect(namesAt('return p|')).toEqual(['payload', 'logger', 'env'])
  expect(namesAt('return |')).toEqual([])
  expect(complete('return |', { isRequested: true })?.typedLength).toBe(0)
  expect(namesAt('return |', { isRequested: true })).toEqual(['payload', 'logger', 'env'])
})

test('completePayload: names of events inside of a comparison only', () => {
  const inString = { isInString: true }
  const list = complete("return payload.event === 'messageN|'", inString)
  expect(list?.typedLength).toBe(8)
  expect(list?.names.map(({ name }) => name)).toEqual(Object.keys(payloads))
  expect(complete('payload.event !== "|', inString)?.typedLength).toBe(0)
  expect(complete("return 'payload.data.|'", inString)).toBeUndefined()
})

test('completePayload: a long source without an expression takes linear time', () => {
  const source = `${'payload . '.repeat(20_000)}${' '.repeat(100_000)}|`
  expect(namesAt(source)).toEqual([])
})
