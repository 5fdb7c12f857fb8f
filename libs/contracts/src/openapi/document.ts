import { buildOpenApi } from './build.ts'

/** Schema in the OpenAPI document: the subset of JSON Schema that the contracts use. */
export interface ApiSchema {
  $ref?: string
  description?: string
  type?: string
  format?: string
  const?: unknown
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  maxLength?: number
  anyOf?: readonly ApiSchema[]
  allOf?: readonly ApiSchema[]
  items?: ApiSchema
  properties?: Readonly<Record<string, ApiSchema>>
  required?: readonly string[]
  additionalProperties?: boolean | ApiSchema
  patternProperties?: Readonly<Record<string, ApiSchema>>
}

export interface ApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: ApiSchema
  example?: string | boolean
}

/** Body of an API request or response in one content type, in the OpenAPI document. */
export interface ApiMedia {
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

/** OpenAPI document of the REST API, with the members that documentation and client use. */
export interface ApiDocument {
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  webhooks: Readonly<Record<string, { post: ApiOperation }>>
  components: { schemas: Readonly<Record<string, ApiSchema>> }
}

/** Reads the OpenAPI document of the REST API, as JSON has it. */
export function readApiDocument(version: string): ApiDocument {
  return JSON.parse(JSON.stringify(buildOpenApi(version))) as ApiDocument
}

/** Name of the schema to which a reference refers, such as `Address`. */
export function nameOfReference(reference: string): string {
  return reference.replace('#/components/schemas/', '')
}
