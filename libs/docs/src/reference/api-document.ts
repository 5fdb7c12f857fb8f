import { release } from '@posthorn/config/release'
import { buildOpenApi } from '@posthorn/contracts/openapi/build'

/** Schema in the OpenAPI document, as far as the reference pages show schemas. */
export interface ApiSchema {
  $ref?: string
  type?: string
  description?: string
  enum?: readonly unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: ApiSchema
  properties?: Readonly<Record<string, ApiSchema>>
  patternProperties?: Readonly<Record<string, ApiSchema>>
  required?: readonly string[]
  anyOf?: readonly ApiSchema[]
  allOf?: readonly ApiSchema[]
}

export interface ApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: ApiSchema
  example?: string | boolean
}

interface ApiMedia {
  schema: ApiSchema
  example?: unknown
  examples?: Readonly<Record<string, { summary: string; value: unknown }>>
}

export interface ApiResponse {
  description: string
  content?: Readonly<Record<string, ApiMedia>>
}

/** Operation in the OpenAPI document. Webhook requests have the same form. */
export interface ApiOperation {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  parameters: readonly ApiParameter[]
  requestBody?: { required: boolean; content: Readonly<Record<string, ApiMedia>> }
  responses: Readonly<Record<string, ApiResponse>>
  'x-svc-action'?: string
  'x-svc-group'?: string
}

/** OpenAPI document of the REST API, with the members that the reference pages show. */
export interface ApiDocument {
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  webhooks: Readonly<Record<string, { post: ApiOperation }>>
  components: { schemas: Readonly<Record<string, ApiSchema>> }
}

/** Operation with its method and path. */
export interface LocatedOperation extends ApiOperation {
  method: string
  path: string
}

/** OpenAPI document of the REST API, built from the contracts. */
export const apiDocument = JSON.parse(
  JSON.stringify(buildOpenApi(release.version)),
) as unknown as ApiDocument

/** All documented operations, in the order of the OpenAPI document. */
export const apiOperations: readonly LocatedOperation[] = Object.entries(apiDocument.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
)

/** Name of the schema to which a reference refers, such as `Address`. */
export function nameOfReference(reference: string): string {
  return reference.replace('#/components/schemas/', '')
}
