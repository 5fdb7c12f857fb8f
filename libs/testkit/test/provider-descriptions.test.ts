import { expect, test } from '@jest/globals'
import { ApiValidator, readDescription } from '../src/providers/index.ts'

test.each([
  ['gmail', 54, /^gmail v1 discovery document, revision \d{8}$/],
  ['pubsub', 39, /^pubsub v1 discovery document, revision \d{8}$/],
  ['graph', 147, /metadata at f54f11b60956/],
] as const)('description of %s: complete, every reference resolves', (name, types, source) => {
  const description = readDescription(name)
  expect(description.source).toMatch(source)
  const text = JSON.stringify(description)
  expect(text).not.toMatch(/"(?:description|enumDescriptions)":["[]/)
  const references = new Set([...text.matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, ref]) => ref))
  expect([...references].filter((ref) => !((ref ?? '') in description.schemas))).toEqual([])
  expect(Object.keys(description.schemas).length).toBeGreaterThanOrEqual(types)
  expect(new Set(description.operations.map(({ id }) => id)).size).toBe(
    description.operations.length,
  )
})

test.each([
  ['gmail', 'GET', '/gmail/v1/users/me/messages/18c0/attachments/a', 'messages.attachments.get'],
  ['gmail', 'POST', '/upload/gmail/v1/users/me/messages/send', 'gmail.users.messages.send#upload'],
  ['pubsub', 'POST', '/v1/projects/p/subscriptions/s:pull', 'pubsub.projects.subscriptions.pull'],
  ['pubsub', 'GET', '/v1/projects/p/subscriptions/s', 'pubsub.projects.subscriptions.get'],
  ['graph', 'GET', '/v1.0/me/messages/A%2F=/$value', 'GET /messages/{message-id}/$value'],
  ['graph', 'POST', '/v1.0/users/u/microsoft.graph.sendMail', 'POST /sendMail'],
  ['graph', 'POST', '/v1.0/me/sendMail', 'POST /sendMail'],
  ['graph', 'GET', '/v1.0/me/mailFolders/delta()', 'GET /mailFolders/delta()'],
  ['graph', 'PATCH', '/v1.0/subscriptions/s', 'PATCH /subscriptions/{subscription-id}'],
] as const)('ApiValidator: %s %s %s, matches the operation', (...row) => {
  const [name, method, path, operation] = row
  const validator = new ApiValidator(readDescription(name))
  expect(validator.match(method, path)?.operation.id).toContain(operation)
})

test.each([
  ['graph', 'PUT', '/v1.0/me/messages/A/$value'],
  ['graph', 'DELETE', '/v1.0/me/outlook'],
  ['gmail', 'GET', '/gmail/v1/users/me/messages/'],
  ['gmail', 'GET', '/gmail/v1/users/me/messages/a/b'],
] as const)('ApiValidator: %s %s %s, matches nothing', (name, method, path) => {
  expect(new ApiValidator(readDescription(name)).match(method, path)).toBeUndefined()
})
