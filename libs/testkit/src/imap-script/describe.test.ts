import { expect, test } from '@jest/globals'
import { grownMessages } from '../hostile-mail/grown.ts'
import { bodyStructure, envelope } from './describe.ts'
import { parseMime } from './mime-tree.ts'

const deep = grownMessages.filter(({ name }) => /nested (?:parts|messages), \d0000$/.test(name))

test.each(deep)('body structure of $name', ({ mime }) => {
  const structure = bodyStructure(parseMime(mime().toString('latin1')))
  expect(structure).toContain('"application" "octet-stream"')
})

test('envelope of addresses with unclosed comments, quotes and angle brackets', () => {
  expect(envelope('To: (a, "b, c@x\r\n')).toContain('((NIL NIL "(a" "")(NIL NIL "\\"b" "")')
  expect(envelope(`To: ${'('.repeat(1_000_000)}\r\n`)).toContain('((((')
})

test('envelope of a name, a quoted name with a comma, and a group', () => {
  const header = 'To: Ann <a@x>, "B \\" , b" <b@x>, team: c@x, d@x;\r\n'
  expect(envelope(header)).toContain(
    '(("Ann" NIL "a" "x")("B \\" , b" NIL "b" "x")(NIL NIL "team" NIL)' +
      '(NIL NIL "c" "x")(NIL NIL "d" "x")(NIL NIL NIL NIL))',
  )
})
