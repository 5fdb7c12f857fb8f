import { defined } from '@posthorn/contracts/defined'
import type { ApiOperation, QueryParameter, Schema } from './api-description.ts'

/** Members of an OpenAPI 3.0 schema that are read. */
export interface OpenApiSchema {
  type?: string
  format?: string
  pattern?: string
  nullable?: boolean
  enum?: unknown[]
  minimum?: number
  maximum?: number
  $ref?: string
  items?: OpenApiSchema
  properties?: Record<string, OpenApiSchema>
  allOf?: OpenApiSchema[]
  anyOf?: OpenApiSchema[]
  oneOf?: OpenApiSchema[]
}

export interface OpenApiPaths {
  paths: Record<string, Record<string, OpenApiOperation>>
  components: { parameters: Record<string, OpenApiParameter> }
}

interface OpenApiParameter {
  $ref?: string
  name?: string
  in?: string
  schema?: OpenApiSchema
}

interface OpenApiOperation {
  parameters?: OpenApiParameter[]
  requestBody?: { content: Record<string, { schema: OpenApiSchema }> }
  responses: Record<string, { content?: Record<string, { schema: OpenApiSchema }> }>
}

type Convert = (schema: OpenApiSchema) => Schema

const user = '/users/{user-id}'
const text: QueryParameter = { schema: { type: 'string' } }
const texts: QueryParameter = { schema: { type: 'string' }, separator: ',' }
const message = { $ref: '#/$defs/microsoft.graph.message!any' }

/** Pattern of described paths that Microsoft Graph refuses, or that mail accounts never use. */
const unused =
  /^\/users\/\{user-id\}\/(?:messages\/microsoft\.graph\.delta|outlook\/microsoft|outlook$)|ExtendedProperties|inferenceClassification/

/**
 * Statuses with which Microsoft Graph really responds, where its API description has other
 * statuses.
 */
const liveStatus: [pattern: RegExp, status: string][] = [
  [/^PATCH /, '200'],
  [/\/(?:move|copy|createReply|createReplyAll|createForward|createUploadSession)$/, '201'],
  [/\/(?:send|sendMail|reply|replyAll|forward)$/, '202'],
]

/** Pattern of Graph requests whose body may also be MIME in base64 instead of JSON. */
const acceptsMime = /^POST (?:\/mailFolders\/\{mailFolder-id\})?\/messages$|^POST \/sendMail$/

/** Query parameters that Microsoft Graph accepts, although its API description lacks them. */
const liveQuery: [pattern: RegExp, query: Record<string, QueryParameter>][] = [
  [/^GET \/.*(?:Folders|messages|attachments|masterCategories)$/, { $skiptoken: text }],
  // The page "singleValueLegacyExtendedProperty: get" of the documentation describes the parameter
  // that the API description of Graph lacks.
  [/^GET \/messages\/\{message-id\}$/, { $expand: text }],
  [/^GET \/mailFolders/, { includeHiddenFolders: { schema: { enum: ['true', 'false'] } } }],
  [
    /^GET .*\/delta\(\)$/,
    {
      $select: texts,
      $expand: texts,
      $filter: text,
      $orderby: text,
      changeType: texts,
      $deltatoken: text,
      $skiptoken: text,
      includeHiddenFolders: text,
    },
  ],
]

/**
 * Operations of the API description of Graph, with corrections from the behaviour of the real
 * service.
 */
export function graphOperations(openApi: OpenApiPaths, convert: Convert): ApiOperation[] {
  const described = Object.entries(openApi.paths)
    .filter(([path]) => !unused.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method !== 'parameters')
        .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    .filter(({ path, method }) => method !== 'PUT' && !isRefused(path, method))
    .map((each) => operationOf(each, openApi, convert))
  const removal: ApiOperation = {
    id: 'POST /messages/{message-id}/permanentDelete',
    methods: ['POST'],
    paths: templatesOf(`${user}/messages/{message-id}/microsoft.graph.permanentDelete`),
    query: {},
    responses: { 204: null },
  }
  // Operation that Graph describes but refuses. Without this entry, `delta` would count as the id
  // of a message.
  const mailboxDelta: ApiOperation = {
    id: 'GET /messages/delta()',
    methods: ['GET'],
    paths: templatesOf(`${user}/messages/microsoft.graph.delta()`),
    query: {},
    responses: {},
  }
  return [...described, removal, mailboxDelta, batch]
}

const headers = { type: 'object', additionalProperties: { type: 'string' } }
const batchRequest = closedObject({
  id: { type: 'string' },
  method: { enum: ['GET', 'POST', 'PATCH', 'DELETE'] },
  url: { type: 'string' },
  headers,
  body: true,
  dependsOn: { type: 'array', items: { type: 'string' } },
})
const batchResponse = closedObject({
  id: { type: 'string' },
  status: { type: 'integer' },
  headers,
  body: true,
})

/**
 * Operation for a batch of at most 20 requests. The API description of Graph lacks this operation.
 */
const batch: ApiOperation = {
  id: 'POST /$batch',
  methods: ['POST'],
  paths: ['/v1.0/$batch'],
  query: {},
  request: closedObject({ requests: { type: 'array', maxItems: 20, items: batchRequest } }),
  responses: { 200: closedObject({ responses: { type: 'array', items: batchResponse } }) },
}

function isRefused(path: string, method: string): boolean {
  return method === 'DELETE' && /\/outlook$|\$value$/.test(path)
}

function operationOf(
  { path, method, operation }: { path: string; method: string; operation: OpenApiOperation },
  openApi: OpenApiPaths,
  convert: Convert,
): ApiOperation {
  const id = `${method} ${path.replace(user, '').replace(/microsoft\.graph\./g, '') || '/'}`
  const parameters = (operation.parameters ?? []).map((parameter) =>
    parameter.$ref
      ? (openApi.components.parameters[parameter.$ref.split('/').at(-1) ?? ''] ?? {})
      : parameter,
  )
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name = '', schema = {} }): [string, QueryParameter] => [
      name,
      schema.type === 'array'
        ? { schema: convert(schema.items ?? {}), separator: ',' }
        : { schema: convert(schema) },
    ])
  const more = liveQuery.filter(([pattern]) => pattern.test(id)).map(([, added]) => added)
  const body = operation.requestBody?.content['application/json']?.schema
  return defined({
    id,
    methods: [method],
    paths: templatesOf(path),
    query: Object.assign({}, ...more, Object.fromEntries(query), castQuery(id)) as Record<
      string,
      QueryParameter
    >,
    request: body && requestOf(body, convert),
    otherTypes: acceptsMime.test(id) ? ['text/plain'] : undefined,
    responses: responsesOf(id, operation, convert),
  })
}

/**
 * Query parameters for properties of derived types. Graph selects such a property by a cast, which
 * the API description lacks.
 */
function castQuery(id: string): Record<string, QueryParameter> {
  return /^GET .*\/attachments/.test(id) ? { $select: texts } : {}
}

function responsesOf(
  id: string,
  { responses }: OpenApiOperation,
  convert: Convert,
): Record<string, Schema | null> {
  if (id.endsWith('/$value')) return { 200: true }
  const status = liveStatus.find(([pattern]) => pattern.test(id))?.[1]
  return Object.fromEntries(
    Object.entries(responses)
      .filter(([each]) => each !== 'default')
      .map(([each, { content }]) => {
        const schema = content?.['application/json']?.schema
        return [status ?? each, schema ? envelopeOf(id, schema, convert) : emptyBodyOf(id)]
      }),
  )
}

/**
 * Schema of a Graph response that the API description has without a body. PATCH really responds
 * with the changed object.
 */
function emptyBodyOf(id: string): Schema | null {
  if (!id.startsWith('PATCH ')) return null
  if (id.endsWith('/messages/{message-id}')) return message
  return /Folders\/\{mailFolder-id1?\}$/.test(id)
    ? { $ref: '#/$defs/microsoft.graph.mailFolder!any' }
    : true
}

/**
 * Schema of a Graph response. Lists and delta pages always have an envelope with the entries in
 * `value`.
 */
function envelopeOf(id: string, schema: OpenApiSchema, convert: Convert): Schema {
  const items = schema.type === 'array' ? schema.items : schema.properties?.['value']?.items
  if (!items) return withContext(convert(schema))
  const page = {
    '@odata.context': { type: 'string' },
    '@odata.count': { type: 'integer' },
    '@odata.nextLink': { type: 'string', format: 'uri' },
  }
  if (!id.endsWith('/delta()'))
    return closedObject({ ...page, value: { type: 'array', items: convert(items) } })
  const removed = closedObject({
    id: { type: 'string' },
    '@odata.type': { type: 'string' },
    '@removed': closedObject({ reason: { enum: ['deleted', 'changed'] } }),
  })
  const entry = { if: { required: ['@removed'] }, then: removed, else: convert(items) }
  return {
    ...closedObject({
      ...page,
      '@odata.deltaLink': { type: 'string', format: 'uri' },
      value: { type: 'array', items: entry },
    }),
    required: ['value'],
    oneOf: [{ required: ['@odata.nextLink'] }, { required: ['@odata.deltaLink'] }],
  }
}

/**
 * Adds the annotations `@odata.…`, which any Graph response may have, to the inline object of a
 * response.
 */
function withContext(schema: Schema): Schema {
  if (typeof schema === 'boolean' || !('properties' in schema)) return schema
  return { ...schema, patternProperties: { '^@odata\\.': true } }
}

/**
 * Schema of a Graph request's body. Excludes the members of a message that the service sets.
 * Accepts names of action parameters with a small first letter, too, as the service does.
 */
function requestOf(schema: OpenApiSchema, convert: Convert): Schema {
  if (schema.$ref) return withoutReadOnly(convert(schema))
  const converted = convert(schema) as { properties?: Record<string, Schema> }
  const members = Object.entries(converted.properties ?? {}).flatMap(([name, member]) => [
    [name, withoutReadOnly(member)],
    [name.charAt(0).toLowerCase() + name.slice(1), withoutReadOnly(member)],
  ])
  return closedObject(Object.fromEntries(members) as Record<string, Schema>)
}

function withoutReadOnly(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema
  if (schema['$ref'] === message.$ref) return { $ref: '#/$defs/message!request' }
  const parts = schema['anyOf'] as Schema[] | undefined
  return parts ? { ...schema, anyOf: parts.map(withoutReadOnly) } : schema
}

/**
 * Path templates of a Graph operation: below `/me` and `/users/{user-id}`, and with all spellings
 * of actions and functions.
 */
function templatesOf(path: string): string[] {
  const roots = path.startsWith(user) ? [path, path.replace(user, '/me')] : [path]
  return roots
    .flatMap((each) => [each, each.replace(/microsoft\.graph\./g, '')])
    .flatMap((each) => (each.endsWith('()') ? [each, each.slice(0, -2)] : [each]))
    .filter((each, index, all) => all.indexOf(each) === index)
    .map((each) => `/v1.0${each}`)
}

function closedObject(properties: Record<string, Schema>): { [keyword: string]: unknown } {
  return { type: 'object', properties, additionalProperties: false }
}
