import { expect, test } from '@jest/globals'
import { release } from '@posthorn/config/release'
import { errorCodes } from '@posthorn/errors'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { allOperations } from '../operations/index.ts'
import { buildOpenApi } from './build.ts'
import { errorMeanings } from './error-meanings.ts'
import { eventBodies } from './examples/event-bodies.ts'
import { responseExamples } from './examples/responses.ts'

interface Described {
  description?: string
  $ref?: string
}

interface Schema extends Described {
  properties?: Record<string, Schema>
}

interface Response extends Described {
  headers?: Record<string, Described>
  content?: Record<string, { schema: Schema; example?: unknown }>
}

interface DescribedOperation extends Described {
  operationId: string
  tags: string[]
  parameters: (Described & { name: string; required: boolean; example?: unknown })[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, Response>
}

interface ApiDocument {
  tags: (Described & { name: string })[]
  paths: Record<string, Record<string, DescribedOperation>>
  webhooks: Record<string, { post: DescribedOperation }>
  components: {
    schemas: Record<string, Schema>
    securitySchemes: Record<string, Described>
  }
}

const document = JSON.parse(JSON.stringify(buildOpenApi(release.version))) as ApiDocument
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
const webhooks = Object.values(document.webhooks).map(({ post }) => post)
const everything = [...operations, ...webhooks]

/** True if a part of the document, or the named schema to which it refers, has a description. */
function isDescribed({ description = '', $ref = '' }: Described): boolean {
  if (/^[A-Z`][^]*\.$/.test(description)) return true
  const named = document.components.schemas[$ref.replace('#/components/schemas/', '')]
  return named !== undefined && isDescribed(named)
}

function isMissing([, part]: readonly [string, Described]): boolean {
  return !isDescribed(part)
}

/** Paths of all members of contract schemas without a description, at any depth. */
function undescribedMembers(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties = {} } = value as Schema
  const missing = Object.entries(properties).filter(isMissing)
  return [
    ...missing.map(([name]) => `${path}.${name}`),
    ...Object.entries(value).flatMap(([key, part]) => undescribedMembers(part, `${path}.${key}`)),
  ]
}

/** Names of the parts of the OpenAPI document without a description, by kind of part. */
const missing: Record<string, () => string[]> = {
  operations: () =>
    everything
      .map((part) => [part.operationId, part] as const)
      .filter(isMissing)
      .map(nameOf),
  parameters: () =>
    everything
      .flatMap(({ operationId, parameters }) =>
        parameters.map((part) => [`${operationId}.${part.name}`, part] as const),
      )
      .filter(isMissing)
      .map(nameOf),
  members: () => undescribedMembers(document, 'document'),
  'named schemas': () => Object.entries(document.components.schemas).filter(isMissing).map(nameOf),
  tags: () =>
    document.tags
      .map((tag) => [tag.name, tag] as const)
      .filter(isMissing)
      .map(nameOf),
  responses: () =>
    everything
      .flatMap(({ operationId, responses }) =>
        Object.entries(responses).map(
          ([status, part]) => [`${operationId} ${status}`, part] as const,
        ),
      )
      .filter(isMissing)
      .map(nameOf),
  'response headers': () =>
    everything
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ headers = {} }) => Object.entries(headers))
      .filter(isMissing)
      .map(nameOf),
  'security schemes': () =>
    Object.entries(document.components.securitySchemes).filter(isMissing).map(nameOf),
  'error codes': () => errorCodes.filter((code) => !/^[A-Z`].*\.$/.test(errorMeanings[code] ?? '')),
}

function nameOf([name]: readonly [string, Described]): string {
  return name
}

test.each(Object.keys(missing))('buildOpenApi: describes all %s', (kind) => {
  expect(missing[kind]?.()).toEqual([])
})

test('errorMeanings: are part of each response that may have the code', () => {
  for (const { id, errors = [], hidden } of allOperations) {
    if (hidden) continue
    const { responses } = operations.find(({ operationId }) => operationId === id) ?? {}
    const text = Object.values(responses ?? {})
      .map(({ description }) => description)
      .join('\n')
    for (const code of errors) expect(text).toContain(`- \`${code}\`: ${errorMeanings[code]}`)
  }
})

test('buildOpenApi: has a tag for every operation, and an operation for every tag', () => {
  const used = everything.flatMap(({ tags }) => tags)
  const names = document.tags.map(({ name }) => name)
  expect(names.sort()).toEqual([...new Set(used)].sort())
})

test('responseExamples: exist for every operation that can succeed, and for no other', () => {
  const failing = ['deleteLicense', 'setLicense']
  const documented = operations.map(({ operationId }) => operationId)
  const expected = documented.filter((id) => !failing.includes(id))
  expect(Object.keys(responseExamples).sort()).toEqual(expected.sort())
  for (const { operationId, responses } of operations) {
    const status = failing.includes(operationId) ? '403' : '200'
    const [media] = Object.values(responses[status]?.content ?? {})
    expect([operationId, media?.example]).not.toEqual([operationId, undefined])
  }
})

/** Members of API schemas whose values are secrets. The OpenAPI examples mask the values. */
const secretMember = /^(?:pass|password|accessToken|refreshToken|clientSecret|serviceKey|token)$/
/** Invented values of tokens in OpenAPI examples of responses that exist to return a token. */
const inventedTokens = [
  'createToken.token',
  'createTokenAlias.token',
  'createOperatorToken.token',
  'getOAuthToken.accessToken',
]
/**
 * Host names and domains in the OpenAPI examples: reserved names (RFC 2606) and fixed names of
 * Google.
 */
const allowedHost = /(?:^|\.)example\.(?:com|net|org)$|^mail\.google\.com$|^1234-abc\.apps\./

function texts(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => texts(part, `${path}.${key}`))
}

/**
 * Copies a schema so that objects with known members allow no other member. Branches of an
 * intersection stay open: the intersection itself allows only the members of its branches.
 */
function closed(schema: unknown, isBranch = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => closed(part, isBranch))
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, part]) => [key, closed(part, key === 'allOf')])
  const copy = Object.fromEntries(entries) as object
  if (isBranch) return copy
  if ('allOf' in schema) return { ...copy, unevaluatedProperties: false }
  const isOpen = 'properties' in schema && 'type' in schema && !('additionalProperties' in schema)
  return isOpen ? { ...copy, additionalProperties: false } : copy
}

test('responseExamples, eventBodies: have only documented members', () => {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false })
  ajv.addSchema({ $id: 'document', components: closed(document.components) as object })
  for (const { operationId, responses, requestBody } of everything) {
    const [media] = Object.values(responses['200']?.content ?? requestBody?.content ?? {})
    if (media?.example === undefined) continue
    const text = JSON.stringify(closed(media.schema)).replaceAll('"#/', '"document#/')
    const validate = ajv.compile(JSON.parse(text) as object)
    validate(media.example)
    expect([operationId, validate.errors ?? []]).toEqual([operationId, []])
  }
})

test('eventBodies: exist for every event', () => {
  for (const { operationId, requestBody } of webhooks)
    expect(requestBody?.content['application/json']?.example).toMatchObject({ event: operationId })
})

test('parameterExample: every required parameter has an example', () => {
  const lacking = operations.flatMap(({ operationId, parameters }) =>
    parameters
      .filter(({ required, example }) => required && example === undefined)
      .map(({ name }) => `${operationId} ${name}`),
  )
  expect(lacking).toEqual([])
})

test('responseExamples, eventBodies: contain no secret and no real host', () => {
  const examples = { ...responseExamples, ...eventBodies }
  for (const [path, text] of texts(examples, '').map(([at, value]) => [at.slice(1), value])) {
    const member = path?.split('.').at(-1) ?? ''
    if (secretMember.test(member) && !inventedTokens.includes(path ?? ''))
      expect([path, /^(?:\*{6}|[0-9a-f]{64})$/.test(text ?? '')]).toEqual([path, true])
    for (const [, host = ''] of text?.matchAll(/(?:https?:\/\/|@)([\w.-]+)/g) ?? [])
      expect([path, host, allowedHost.test(host)]).toEqual([path, host, true])
  }
})
