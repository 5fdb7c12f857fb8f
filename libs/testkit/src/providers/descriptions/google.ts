import { defined } from '@posthorn/contracts/defined'
import type { ApiDescription, ApiOperation, QueryParameter, Schema } from './api-description.ts'

/** Members of Google's discovery document that are read. */
export interface DiscoveryDocument {
  name: string
  version: string
  revision: string
  parameters: Record<string, DiscoveryType>
  resources: Record<string, DiscoveryResource>
  schemas: Record<string, DiscoveryType>
}

interface DiscoveryResource {
  methods?: Record<string, DiscoveryMethod>
  resources?: Record<string, DiscoveryResource>
}

interface DiscoveryMethod {
  id: string
  httpMethod: string
  path: string
  flatPath?: string
  parameters?: Record<string, DiscoveryType>
  request?: { $ref: string }
  response?: { $ref: string }
  mediaUpload?: { protocols: Record<string, { path: string }> }
}

interface DiscoveryType {
  type?: string
  format?: string
  $ref?: string
  properties?: Record<string, DiscoveryType>
  additionalProperties?: DiscoveryType
  items?: DiscoveryType
  enum?: string[]
  pattern?: string
  minimum?: string
  maximum?: string
  repeated?: boolean
  location?: string
}

/** Patterns of 64-bit numbers and durations, which are JSON strings. */
const patterns: Record<string, string> = {
  int64: '^-?(0|[1-9][0-9]{0,18})$',
  uint64: '^(0|[1-9][0-9]{0,19})$',
  'google-duration': '^-?[0-9]+(\\.[0-9]{1,9})?s$',
}

const integerLimits: Record<string, [number, number]> = {
  int32: [-2_147_483_648, 2_147_483_647],
  uint32: [0, 4_294_967_295],
}

const error: Schema = closed({
  error: closed({
    code: { type: 'integer' },
    message: { type: 'string' },
    errors: { type: 'array', items: { type: 'object' } },
    status: { type: 'string' },
    details: { type: 'array', items: { type: 'object' } },
  }),
})

/**
 * Reduces a discovery document to names and types. No member is required, because Google marks no
 * member as required.
 */
export function reduceDiscovery(
  document: DiscoveryDocument,
  published: { source: string; licence: string },
): ApiDescription {
  // In Google's API descriptions, bytes are base64url in the Gmail API, and base64 in Pub/Sub.
  const bytes = document.name === 'gmail' ? '^[A-Za-z0-9_-]*={0,2}$' : '^[A-Za-z0-9+/]*={0,2}$'
  const convert = (type: DiscoveryType) => convertType(type, { ...patterns, byte: bytes })
  const parametersOf = (method: DiscoveryMethod) =>
    Object.fromEntries(
      Object.entries({ ...document.parameters, ...method.parameters })
        .filter(([, { location }]) => location === 'query')
        .map(([name, type]): [string, QueryParameter] => [
          name,
          defined({ schema: convert(type), repeated: type.repeated || undefined }),
        ]),
    )
  const operations = Object.values(document.resources)
    .flatMap(methodsOf)
    .flatMap((method) => operationsOf(method, parametersOf(method)))
  const schemas = Object.entries(document.schemas).map(([name, type]) => [name, convert(type)])
  return { ...published, error, operations, schemas: Object.fromEntries(schemas) }
}

function methodsOf({ methods = {}, resources = {} }: DiscoveryResource): DiscoveryMethod[] {
  return [...Object.values(methods), ...Object.values(resources).flatMap(methodsOf)]
}

function operationsOf(
  method: DiscoveryMethod,
  query: Record<string, QueryParameter>,
): ApiOperation[] {
  const { id, httpMethod, request, response, mediaUpload } = method
  const body = response && reference(response.$ref)
  const operation = defined({
    id,
    methods: [httpMethod],
    paths: [`/${method.flatPath ?? method.path}`],
    query,
    request: request && reference(request.$ref),
    responses: body ? { 200: body } : { 200: null, 204: null },
  })
  if (!mediaUpload) return [operation]
  // A resumable upload responds with status 200 and no body at its start, and with status 308
  // between its chunks.
  const upload: ApiOperation = {
    id: `${id}#upload`,
    methods: [...new Set([httpMethod, 'PUT'])],
    paths: Object.values(mediaUpload.protocols).map(({ path }) => path),
    query: { ...query, upload_id: { schema: { type: 'string' } } },
    request: true,
    responses: { 200: true, 308: null },
  }
  return [operation, upload]
}

function convertType(type: DiscoveryType, byFormat: Record<string, string>): Schema {
  if (type.$ref !== undefined) return reference(type.$ref)
  if (type.type === 'any') return true
  if (type.type === 'array')
    return { type: 'array', items: type.items ? convertType(type.items, byFormat) : true }
  return type.type === 'object' ? convertObject(type, byFormat) : convertValue(type, byFormat)
}

function convertObject(
  { properties = {}, additionalProperties }: DiscoveryType,
  byFormat: Record<string, string>,
): Schema {
  const members = Object.entries(properties).map(([name, member]) => [
    name,
    convertType(member, byFormat),
  ])
  const others = additionalProperties ? convertType(additionalProperties, byFormat) : false
  return { ...closed(Object.fromEntries(members)), additionalProperties: others }
}

function convertValue(type: DiscoveryType, byFormat: Record<string, string>): Schema {
  const { format = '', minimum, maximum } = type
  const [least, most] = integerLimits[format] ?? []
  return defined({
    type: type.type ?? 'string',
    enum: type.enum,
    pattern: byFormat[format] ?? type.pattern,
    format: format === 'google-datetime' ? 'date-time' : undefined,
    minimum: minimum === undefined ? least : Number(minimum),
    maximum: maximum === undefined ? most : Number(maximum),
  })
}

function reference(name: string): { $ref: string } {
  return { $ref: `#/$defs/${name}` }
}

function closed(properties: Record<string, Schema>): { [keyword: string]: unknown } {
  return { type: 'object', properties, additionalProperties: false }
}
