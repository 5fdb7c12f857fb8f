import { expect, test } from '@jest/globals'
import type { TObject, TSchema } from 'typebox'
import { stripProse } from './baseline/strip-prose.ts'
import { isForwarded, toCommandRequest } from './forwarding.ts'
import { allOperations, operations } from './operations/index.ts'
import { check } from './validate.ts'

const forwarded = allOperations.filter(isForwarded)

/** True if validated input of the API operation always has the member. */
const isPresent = (schema: TSchema | undefined, name: string) => {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, object>
    required?: string[]
  }
  return required.includes(name) || Object.hasOwn(properties[name] ?? {}, 'default')
}

test.each(forwarded)('$id: path, query and body hold every member of its command', (operation) => {
  const { params, query, body, command } = operation
  const { properties, required } = command.request as TObject
  const parts = [params, query, body].filter((part) => part !== undefined) as TObject[]
  for (const name of required ?? [])
    expect([name, parts.some((part) => isPresent(part, name))]).toEqual([name, true])
  for (const name of Object.keys(properties))
    expect([name, parts.filter((part) => name in part.properties).length]).toEqual([name, 1])
})

test.each(forwarded)(
  '$id: replies with the response of its command, or streams it',
  (operation) => {
    const { command, response, produces = 'application/json' } = operation
    if (command.streams) expect(produces).not.toBe('application/json')
    else expect(stripProse(response)).toEqual(stripProse(command.response))
  },
)

test('toCommandRequest: takes members the command knows, with their defaults', () => {
  const { getText } = operations
  const query = check(getText.query, { maxBytes: '10', documentStore: 'true' }, 'text')
  const input = { params: { account: 'jane', text: 'x' }, query }
  expect(toCommandRequest(getText, input)).toEqual({
    account: 'jane',
    text: 'x',
    maxBytes: 10,
    textType: '*',
    webSafeHtml: false,
  })
})
