import { defined } from '@posthorn/contracts/defined'
import type { ApiDescription, Schema } from './api-description.ts'
import { graphOperations, type OpenApiPaths, type OpenApiSchema } from './graph-operations.ts'

/** Members of the OpenAPI document of Microsoft Graph that are read. */
export interface GraphOpenApi extends OpenApiPaths {
  components: OpenApiPaths['components'] & { schemas: Record<string, OpenApiSchema> }
}

/** Metadata of Microsoft Graph: CSDL in JSON format. */
export interface GraphMetadata {
  entityTypes: Record<string, CsdlType>
  complexTypes: Record<string, CsdlType>
  enumTypes: Record<string, [name: string, value: string][]>
}

interface CsdlType {
  baseType: string | null
  openType: boolean
  properties: { name: string; type: string; nullable?: boolean }[]
}

/** Object type of Graph: its base type and its own members. */
interface ObjectType {
  base: string | undefined
  properties: Record<string, Schema>
}

const prefix = 'microsoft.graph.'
const base64 = { type: 'string', pattern: '^[A-Za-z0-9+/_-]*={0,2}$' }
const odataMembers = { '^@odata\\.': true, '^[A-Za-z]+@odata\\.': true }

const byFormat: Record<string, Schema> = {
  int32: { type: 'integer' },
  int64: { type: 'integer' },
  double: { type: 'number' },
  float: { type: 'number' },
  'date-time': { type: 'string', format: 'date-time' },
  binary: base64,
  byte: base64,
  base64url: base64,
}

const byEdm: Record<string, Schema> = {
  'Edm.Boolean': { type: 'boolean' },
  'Edm.Int32': { type: 'integer' },
  'Edm.Int64': { type: 'integer' },
  'Edm.Double': { type: 'number' },
  'Edm.DateTimeOffset': { type: 'string', format: 'date-time' },
  'Edm.Binary': base64,
}

/**
 * Members of a message that a request to Microsoft Graph must not contain, because Graph sets them.
 */
const readOnlyMembers = [
  'id',
  'changeKey',
  'receivedDateTime',
  'hasAttachments',
  'bodyPreview',
  'webLink',
  'parentFolderId',
  'conversationId',
  'conversationIndex',
  'createdDateTime',
  'lastModifiedDateTime',
  'uniqueBody',
]

const error: Schema = closed({
  error: closed({
    code: { type: 'string' },
    message: { type: 'string' },
    target: { type: ['string', 'null'] },
    details: { type: 'array', items: { type: 'object' } },
    innerError: { type: 'object' },
    innererror: { type: 'object' },
  }),
})

/**
 * Reduces the OpenAPI document of Graph to names and types, and adds types of the newer metadata.
 * Objects permit no unknown members, because the catch-all members of the document would accept
 * everything.
 */
export function reduceGraph(
  openApi: GraphOpenApi,
  metadata: GraphMetadata,
  published: { source: string; licence: string },
): ApiDescription {
  const simple = new Map<string, Schema>()
  const objects = new Map<string, ObjectType>()
  for (const [name, schema] of Object.entries(openApi.components.schemas))
    if (schema.enum) simple.set(name, { type: 'string', enum: schema.enum })
    else objects.set(name, objectTypeOf(schema))
  addMetadata(metadata, simple, objects)
  const schemas = Object.fromEntries([
    ...[...simple].map(([name, schema]): [string, Schema] => [`${name}!any`, schema]),
    ...[...objects].flatMap(([name, type]) => definitionsOf(name, type, objects)),
  ])
  const request = {
    $ref: `#/$defs/${prefix}message!any`,
    not: { anyOf: readOnlyMembers.map((name) => ({ required: [name] })) },
  }
  return {
    ...published,
    error,
    operations: graphOperations(openApi, convert),
    schemas: { ...schemas, 'message!request': request },
  }
}

function objectTypeOf({ allOf, properties = {} }: OpenApiSchema): ObjectType {
  const base = allOf?.find(({ $ref }) => $ref)?.$ref
  const own = allOf?.find(({ $ref }) => !$ref)?.properties ?? properties
  const members = Object.entries(own).map(([name, schema]) => [name, memberOf(schema)])
  return { base: base && nameOf(base), properties: Object.fromEntries(members) }
}

function memberOf(schema: OpenApiSchema): Schema {
  // OpenAPI 3.0 ignores `nullable` beside `$ref`, but Graph sends null for such members.
  if (schema.$ref) return orNull(convert(schema))
  return schema.nullable && schema.type !== 'array' ? orNull(convert(schema)) : convert(schema)
}

/** Converts the OpenAPI schema of a value that is not null. */
function convert(schema: OpenApiSchema): Schema {
  const { $ref, type, format, items, enum: values, pattern, minimum, maximum } = schema
  if ($ref) return reference(nameOf($ref))
  const parts = schema.anyOf ?? schema.oneOf
  if (parts) return { anyOf: parts.map(convert) }
  if (type === 'array') return { type: 'array', items: items ? convert(items) : true }
  if (type === 'object' || schema.properties) {
    const members = Object.entries(schema.properties ?? {}).map(([name, member]) => [
      name,
      memberOf(member),
    ])
    return closed(Object.fromEntries(members))
  }
  if (format) return byFormat[format] ?? { type: 'string' }
  return defined({ type, enum: values, pattern, minimum, maximum })
}

function addMetadata(
  { entityTypes, complexTypes, enumTypes }: GraphMetadata,
  simple: Map<string, Schema>,
  objects: Map<string, ObjectType>,
): void {
  for (const [name, members] of Object.entries(enumTypes)) {
    const older = simple.get(prefix + name) as { enum?: unknown[] } | undefined
    const values = new Set([...(older?.enum ?? []), ...members.map(([member]) => member)])
    simple.set(prefix + name, { type: 'string', enum: [...values] })
  }
  const types = { ...entityTypes, ...complexTypes }
  const isDescribed = (name: string) =>
    simple.has(name) || objects.has(name) || name.slice(prefix.length) in types
  for (const [name, type] of Object.entries(types)) {
    const object = objects.get(prefix + name) ?? {
      base: type.baseType === null ? undefined : csdlName(type.baseType),
      properties: {},
    }
    for (const { name: member, type: memberType, nullable } of type.properties) {
      const schema = edmSchema(memberType, isDescribed)
      const isNullable = nullable !== false && !memberType.startsWith('Collection(')
      object.properties[member] ??= isNullable ? orNull(schema) : schema
    }
    objects.set(prefix + name, object)
  }
}

function edmSchema(type: string, isDescribed: (name: string) => boolean): Schema {
  const item = /^Collection\((.*)\)$/.exec(type)?.[1]
  if (item !== undefined) return { type: 'array', items: edmSchema(item, isDescribed) }
  if (type.startsWith('Edm.')) return byEdm[type] ?? { type: 'string' }
  return isDescribed(csdlName(type)) ? reference(csdlName(type)) : true
}

function csdlName(type: string): string {
  return type.startsWith(prefix) ? type : prefix + type.replace(/^graph\./, '')
}

/**
 * Schemas of a Graph object type: `X!open` is the base of derived types, `X` permits no further
 * members, and `X!any` selects a derived type by `@odata.type`.
 */
function definitionsOf(
  name: string,
  { base, properties }: ObjectType,
  objects: Map<string, ObjectType>,
): [string, Schema][] {
  const open = defined({
    type: 'object',
    properties,
    $ref: base !== undefined && objects.has(base) ? `#/$defs/${base}!open` : undefined,
  })
  const isOpen = name === `${prefix}resourceData`
  const closedType = {
    $ref: `#/$defs/${name}!open`,
    patternProperties: odataMembers,
    unevaluatedProperties: isOpen,
  }
  const any = descendantsOf(name, objects).reduce<Schema>(
    (otherwise, derived) => ({
      if: { properties: { '@odata.type': { const: `#${derived}` } }, required: ['@odata.type'] },
      then: { $ref: `#/$defs/${derived}` },
      else: otherwise,
    }),
    { $ref: `#/$defs/${name}` },
  )
  return [
    [`${name}!open`, open],
    [name, closedType],
    [`${name}!any`, any],
  ]
}

function descendantsOf(name: string, objects: Map<string, ObjectType>): string[] {
  return [...objects]
    .filter(([, { base }]) => base === name)
    .flatMap(([derived]) => [derived, ...descendantsOf(derived, objects)])
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

function reference(name: string): { $ref: string } {
  return { $ref: `#/$defs/${name}!any` }
}

function orNull(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown[] }
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  return defined({ ...schema, type: [type, 'null'], enum: values && [...values, null] })
}

function closed(properties: Record<string, Schema>): Schema {
  return { type: 'object', properties, additionalProperties: false }
}
