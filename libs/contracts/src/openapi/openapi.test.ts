import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { release } from '@posthorn/config/release'
import { AppError, errorCodes } from '@posthorn/errors'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type TSchema, Type } from 'typebox'
import { eventNames } from '../events/index.ts'
import { allOperations } from '../operations/index.ts'
import { buildOpenApi } from './build.ts'
import { toOpenApiSchema } from './components.ts'
import { errorStatuses } from './error-statuses.ts'
import { examples } from './examples/requests.ts'
import { secretSettings, settingKeys } from '../settings/settings.ts'
import { check } from '../validate.ts'

const root = join(import.meta.dirname, '../..')
/** Reason for which a schema rejects a value, if any. */
function rejection(schema: TSchema, value: unknown): unknown {
  try {
    check(schema, structuredClone(value))
    return undefined
  } catch (error) {
    return error instanceof AppError ? error.extras : error
  }
}

const document = JSON.parse(JSON.stringify(buildOpenApi(release.version))) as {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string
        responses: Record<string, unknown>
        parameters: { name: string; in: string; required: boolean }[]
      }
    >
  >
  webhooks: Record<string, unknown>
  components: { schemas: Record<string, object> }
}

test('openapi.json: equals the contracts (`make openapi` writes it)', async () => {
  expect(JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8'))).toEqual(document)
})

test('buildOpenApi: contains every operation that is not hidden', () => {
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  expect(ids.sort()).toEqual(
    allOperations
      .filter(({ hidden }) => !hidden)
      .map(({ id }) => id)
      .sort(),
  )
  expect(document.paths['/v1/tokens/account/{account}']).toBeUndefined()
})

test('toOpenApiSchema: keeps members named like keywords, drops hidden ones', () => {
  const { properties: members } = toOpenApiSchema(
    Type.Object({
      single: Type.Boolean(),
      format: Type.String({ format: 'date-time' }),
      secret: Type.String({ hidden: true }),
    }),
  ) as { properties: object }
  expect(members).toEqual({
    single: { type: 'boolean' },
    format: { type: 'string', format: 'date-time' },
  })
  const { properties } = document.components.schemas['Submission'] as unknown as {
    properties: { render: { anyOf: { properties?: object }[] } }
  }
  expect(properties.render.anyOf[0]?.properties).toHaveProperty('format')
})

test('buildOpenApi: references and named schemas match', () => {
  const text = JSON.stringify(document)
  const used = new Set(
    [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = '']) => name),
  )
  expect([...used].sort()).toEqual(Object.keys(document.components.schemas).sort())
})

test('buildOpenApi: path parameters are described and required', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    for (const { parameters } of Object.values(methods)) {
      const described = parameters.filter((parameter) => parameter.in === 'path')
      expect(described.map(({ name }) => name)).toEqual(names)
      expect(described.every(({ required }) => required)).toBe(true)
    }
  }
})

test('errorResponses: lists statuses and codes of an operation', () => {
  const responses = document.paths['/v1/account/{account}/messages']?.['get']?.responses ?? {}
  expect(Object.keys(responses)).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '429',
    '500',
    '503',
    '504',
  ])
  expect(JSON.stringify(responses['404'])).toContain('FolderNotFound')
  const submit = document.paths['/v1/account/{account}/submit']?.['post']?.responses ?? {}
  expect(Object.keys(submit)).toContain('422')
})

test.each([
  [400, 'InvalidMessageId SearchCursorExpired InvalidRecipients InvalidInput InvalidId'],
  [400, 'UnsupportedSearchTerm UnsupportedOperation InvalidCursorType InvalidCursorValue'],
  [403, 'AccessDenied MailboxNotEnabled SendAsDenied OAuthTokenRejected'],
  [404, 'TrashNotFound MessageNotFound'],
  [413, 'MessageTooLarge'],
  [429, 'QuotaExceeded'],
])('errorResponses: %i of an operation lists %s of mail providers', (status, codes) => {
  const listed = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ responses }) => JSON.stringify(responses[status] ?? ''))
  const missing = (code: string) => !listed.some((text) => text.includes(`\`${code}\``))
  expect(codes.split(' ').filter(missing)).toEqual([])
})

test('errorStatuses: has exactly the existing error codes', () => {
  expect(Object.keys(errorStatuses).sort()).toEqual([...errorCodes].sort())
})

test('examples: exist for every operation with a body and match its contract', () => {
  const withBody = allOperations.filter(({ body, hidden }) => body && !hidden)
  expect(Object.keys(examples).sort()).toEqual(withBody.map(({ id }) => id).sort())
  for (const { id, body } of withBody)
    for (const [name, example] of Object.entries(examples[id] ?? {}))
      expect([id, name, body && rejection(body, example)]).toEqual([id, name, undefined])
})

/** Formats of JSON Schema as other tools check them; RFC 3339 requires a time in a `date-time`. */
const strictFormats: Record<string, (value: string) => boolean> = {
  'date-time': (value) =>
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(value),
  email: (value) => /^[^@\s]+@[^@\s]+$/.test(value),
  uri: (value) => URL.canParse(value),
}

interface Media {
  schema: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

/** Media types of the OpenAPI document that have examples. */
function mediaWithExamples(value: unknown): Media[] {
  if (typeof value !== 'object' || value === null) return []
  const isMedia = 'schema' in value && ('example' in value || 'examples' in value)
  return [...(isMedia ? [value as Media] : []), ...Object.values(value).flatMap(mediaWithExamples)]
}

test('buildOpenApi: every example matches its schema for other tools, too', () => {
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true, formats: strictFormats })
  ajv.addSchema({ $id: 'document', components: document.components })
  const media = mediaWithExamples(document)
  expect(media.length).toBeGreaterThan(20)
  for (const { schema, example, examples: named = {} } of media) {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components')
    const validate = ajv.compile(JSON.parse(text) as object)
    const values = Object.values(named).map(({ value }) => value)
    for (const value of example === undefined ? values : [example, ...values]) {
      validate(value)
      expect([value, validate.errors ?? []]).toEqual([value, []])
    }
  }
})

test('buildOpenApi: the response of getSettings lists all settings, secret ones as booleans', () => {
  const response = document.paths['/v1/settings']?.['get']?.responses['200']
  const { content = {} } = (response ?? {}) as { content?: Record<string, Media> }
  const { schema } = content['application/json'] ?? {}
  const { properties } = schema as { properties: Record<string, { type?: string }> }
  expect(Object.keys(properties)).toEqual([...settingKeys, 'eventTypes'])
  expect(secretSettings.filter((key) => properties[key]?.type !== 'boolean')).toEqual([])
})

test('buildOpenApi: tags are unique, the paths of older clients and existingAccount are shown', () => {
  const { tags } = document as unknown as { tags: { name: string }[] }
  const names = tags.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
  expect(document.paths['/v1/token']).toHaveProperty('post')
  expect(document.paths['/v1/token/{token}']).toHaveProperty('delete')
  expect(document.components.schemas['Problem']).toMatchObject({
    properties: { existingAccount: { type: 'string' } },
  })
  expect(JSON.stringify(document.paths['/v1/tokens'])).toContain('"404"')
})

test('describeWebhooks: contains every event', () => {
  expect(Object.keys(document.webhooks).sort()).toEqual([...eventNames].sort())
})

test('buildOpenApi: contains no keyword of the local validator', () => {
  expect(JSON.stringify(document)).not.toMatch(/"single"|mail-address|http-url/)
})
