import type { Schema } from './type-text.ts'

/** Parts of the OpenAPI document from which the client is generated. */
export interface ApiDescription {
  paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  webhooks: Readonly<Record<string, { post: DescribedWebhook }>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

interface Content {
  content: Readonly<Record<string, { schema: Schema }>>
}

export interface DescribedOperation {
  operationId: string
  summary: string
  description?: string
  'x-svc-action': string
  parameters: readonly DescribedParameter[]
  requestBody?: Content & { required: boolean }
  responses: Readonly<Record<string, Content>>
}

export interface DescribedParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: Schema
}

export interface DescribedWebhook {
  summary: string
  description?: string
  requestBody: Content
}

/** Operation of the API as the client offers it. */
export interface ClientOperation {
  id: string
  /** Method and path template: `GET /v1/account/{account}`. */
  route: string
  documentation: string
  input: Schema
  result: Schema
  contentType: string
  /** True if a second request with the same content changes nothing more. */
  isRepeatable: boolean
  /** True if an idempotency key makes the operation repeatable. */
  hasIdempotencyKey: boolean
  hasRanges: boolean
  /** Name of the member of the result that has the entries of a page. */
  entries: string | undefined
}

/** Names of the input members that are sent in headers. */
const headerMembers: Readonly<Record<string, string>> = {
  'X-SVC-Timeout': 'timeout',
  'Idempotency-Key': 'idempotencyKey',
  Range: 'range',
  'If-Range': 'ifRange',
}

const noContent: [string, { schema: Schema }] = ['', { schema: {} }]

/** Lists the operations of an API description, in its order. */
export function listOperations({ paths, components }: ApiDescription): ClientOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId: id, summary, description, parameters } = operation
      const [[contentType, { schema: result }] = noContent] = Object.entries(
        operation.responses['200']?.content ?? {},
      )
      const names = new Set(parameters.map(({ name }) => name))
      const isPaged = names.has('page') || names.has('cursor')
      return {
        id,
        route: `${method.toUpperCase()} ${path}`,
        documentation: [summary, ...(description ? ['', description] : [])].join('\n'),
        input: inputSchema(operation),
        result,
        contentType,
        isRepeatable: isRepeatable(method, operation),
        hasIdempotencyKey: names.has('Idempotency-Key'),
        hasRanges: '206' in operation.responses,
        entries: isPaged ? entriesOf(resolve(result, components.schemas)) : undefined,
      }
    }),
  )
}

/**
 * Operations that move messages to the trash, and delete messages in the trash permanently. The id
 * of a message at Gmail or Microsoft Graph stays valid after the move. A second request could
 * therefore delete the messages that the first request has moved.
 */
const trashingOperations: ReadonlySet<string> = new Set(['deleteMessage', 'deleteMessages'])

function isRepeatable(method: string, operation: DescribedOperation): boolean {
  if (trashingOperations.has(operation.operationId)) return false
  return method !== 'post' || operation['x-svc-action'] === 'read'
}

function resolve(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  return schema.$ref ? (schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] ?? {}) : schema
}

function entriesOf({ properties = {} }: Schema): string | undefined {
  return Object.keys(properties).find((name) => properties[name]?.type === 'array')
}

/** Schema of the object with all parameters and the body of an operation. */
function inputSchema({ operationId, parameters, requestBody }: DescribedOperation): Schema {
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  const add = (name: string, schema: Schema, isRequired: boolean) => {
    if (name in properties) throw new Error(`${operationId} has two inputs with the name ${name}`)
    properties[name] = schema
    if (isRequired) required.push(name)
  }
  for (const { name, in: location, description, schema, ...parameter } of parameters) {
    // The query parameter takes the place of this header.
    if (location === 'header' && name === 'Last-Event-Id') continue
    const member = location === 'header' ? headerMembers[name] : name
    if (member === undefined) throw new Error(`${operationId} has the unknown header ${name}`)
    add(member, { ...schema, description }, parameter.required)
  }
  const body = requestBody?.content['application/json']?.schema
  if (body) add('body', { description: 'Body of the request.', ...body }, requestBody.required)
  return { type: 'object', properties, required }
}
