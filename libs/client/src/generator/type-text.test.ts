import { expect, test } from '@jest/globals'
import type { ApiSchema } from '@posthorn/contracts/openapi/document'
import { commentText, typeText } from './type-text.ts'

test.each<[ApiSchema, string]>([
  [{ $ref: '#/components/schemas/Address' }, 'Address'],
  [{ type: 'integer' }, 'number'],
  [{ type: 'null' }, 'null'],
  [{}, 'unknown'],
  [{ const: false }, 'false'],
  [{ enum: ["it's", '\\Sent'] }, "'it\\'s' | '\\\\Sent'"],
  [
    { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    '(string | null)[]',
  ],
  [{ type: 'object' }, 'Record<string, unknown>'],
  [{ type: 'object', additionalProperties: false }, 'Record<string, never>'],
  [
    { type: 'object', patternProperties: { '^.*$': { type: 'boolean' } } },
    'Record<string, boolean>',
  ],
  [
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } } },
        { $ref: '#/components/schemas/B' },
      ],
    },
    '{\n  a?: string\n} & B',
  ],
])('typeText: %j is %s', (schema, text) => expect(typeText(schema)).toBe(text))

test('typeText: with a member in base64, requests also take bytes', () => {
  const schema = { type: 'string', format: 'base64' }
  expect(typeText(schema, { isRequest: true })).toBe('Base64')
  expect(typeText(schema)).toBe('string')
})

test('typeText: with descriptions, members have comments and quotes where needed', () => {
  const schema = {
    type: 'object',
    required: ['x-a'],
    properties: { 'x-a': { type: 'string', description: 'Name.' }, b: { type: 'string' } },
  }
  const text = "{\n  /** Name. */\n  'x-a': string\n  b?: string\n}"
  expect(typeText(schema, { hasComments: true })).toBe(text)
})

test('commentText: long texts are wrapped, and cannot end the comment', () => {
  const lines = commentText(`${'word '.repeat(60)}*/ end`, '  ').split('\n')
  expect(lines.every((line) => line.length <= 100)).toBe(true)
  expect(lines.filter((line) => line.includes('*/'))).toEqual(['   */'])
})
