import {
  type ApiDocument,
  type ApiOperation,
  type ApiSchema,
  nameOfReference,
} from '@posthorn/contracts/openapi/document'

/** Operation of the API as the generated client offers the operation. */
export interface ClientOperation {
  id: string
  /** HTTP method and path template of the API operation: `GET /v1/account/{account}`. */
  route: string
  documentation: string
  input: ApiSchema
  result: ApiSchema
  contentType: string
  /** True if a second request of the API operation with the same content changes nothing more. */
  isRepeatable: boolean
  /** True if an idempotency key makes the API operation repeatable. */
  hasIdempotencyKey: boolean
  hasRanges: boolean
  /** Name of the member of the operation's result that has the entries of a page. */
  entries: string | undefined
}

/** Names of the input members that the client sends in HTTP headers. */
const headerMembers: Readonly<Record<string, string>> = {
  'X-SVC-Timeout': 'timeout',
  'Idempotency-Key': 'idempotencyKey',
  Range: 'range',
  'If-Range': 'ifRange',
}

const noContent: [string, { schema: ApiSchema }] = ['', { schema: {} }]

/** Lists the API operations of the OpenAPI document, in the order of the document. */
export function listOperations({ paths, components }: ApiDocument): ClientOperation[] {
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
 * API operations that move messages to the trash, and delete messages in the trash permanently. The
 * id of a message at Gmail or Microsoft Graph stays valid after the move. A second request could
 * therefore delete the messages that the first request has moved.
 */
const trashingOperations: ReadonlySet<string> = new Set(['deleteMessage', 'deleteMessages'])

function isRepeatable(method: string, operation: ApiOperation): boolean {
  if (trashingOperations.has(operation.operationId)) return false
  return method !== 'post' || operation['x-svc-action'] === 'read'
}

function resolve(schema: ApiSchema, schemas: Readonly<Record<string, ApiSchema>>): ApiSchema {
  return schema.$ref ? (schemas[nameOfReference(schema.$ref)] ?? {}) : schema
}

function entriesOf({ properties = {} }: ApiSchema): string | undefined {
  return Object.keys(properties).find((name) => properties[name]?.type === 'array')
}

/** Schema of the object with all parameters and the body of an API operation. */
function inputSchema({ operationId, parameters, requestBody }: ApiOperation): ApiSchema {
  const properties: Record<string, ApiSchema> = {}
  const required: string[] = []
  const add = (name: string, schema: ApiSchema, isRequired: boolean) => {
    if (name in properties) throw new Error(`${operationId} has two inputs with the name ${name}`)
    properties[name] = schema
    if (isRequired) required.push(name)
  }
  for (const { name, in: location, description, schema, ...parameter } of parameters) {
    // In the operation's input, the query parameter takes the place of the header `Last-Event-Id`.
    if (location === 'header' && name === 'Last-Event-Id') continue
    const member = location === 'header' ? headerMembers[name] : name
    if (member === undefined) throw new Error(`${operationId} has the unknown header ${name}`)
    add(member, { ...schema, description }, parameter.required)
  }
  const body = requestBody?.content['application/json']?.schema
  if (body) add('body', { description: 'Body of the request.', ...body }, requestBody.required)
  return { type: 'object', properties, required }
}
