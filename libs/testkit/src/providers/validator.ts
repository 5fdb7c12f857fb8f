import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js'
import addFormats from 'ajv-formats'
import type {
  ApiDescription,
  ApiOperation,
  QueryParameter,
  Schema,
} from './descriptions/api-description.ts'
import type { ProviderRequest } from './requests.ts'

/** Operation of an API description that a request matches. */
export interface MatchedOperation {
  operation: ApiOperation
  params: Record<string, string>
}

interface Route {
  pattern: RegExp
  /**
   * Number of characters of the API path template outside of names. The template with the most
   * characters is used.
   */
  literal: number
  operation: ApiOperation
}

/** HTTP response as the provider fake sends it. */
export interface SentResponse {
  status: number
  contentType: string
  headers: Record<string, string>
  bytes: Buffer
}

const read = new Map<string, ApiDescription>()

/** Reads the reduced API description of a provider, once per process. */
export function readDescription(name: 'gmail' | 'pubsub' | 'graph'): ApiDescription {
  const description = read.get(name) ?? parseDescription(name)
  read.set(name, description)
  return description
}

function parseDescription(name: string): ApiDescription {
  const path = join(import.meta.dirname, '../../provider-apis/generated', `${name}.json`)
  return JSON.parse(readFileSync(path, 'utf8')) as ApiDescription
}

const validators = new WeakMap<ApiDescription, ApiValidator>()

/** Validator of an API description. The schemas are compiled once per process. */
export function validatorOf(description: ApiDescription): ApiValidator {
  const validator = validators.get(description) ?? new ApiValidator(description)
  validators.set(description, validator)
  return validator
}

/**
 * Compares requests and responses with an API description. Everything that is not described is a
 * deviation.
 */
export class ApiValidator {
  readonly source: string
  readonly #ajv: Ajv2019
  readonly #routes: Route[]
  readonly #compiled = new Map<Schema, ValidateFunction>()
  readonly #error: Schema

  constructor({ source, schemas, operations, error }: ApiDescription) {
    this.source = source
    this.#error = error
    this.#ajv = new Ajv2019({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      allErrors: true,
    })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $defs: schemas }, 'api')
    this.#routes = operations
      .flatMap((operation) => operation.paths.map((template) => routeOf(template, operation)))
      .sort((one, other) => other.literal - one.literal)
  }

  /**
   * Finds the API operation for an HTTP method and a path without query. Undefined if the API has
   * no such operation.
   */
  match(method: string, path: string): MatchedOperation | undefined {
    for (const { pattern, operation } of this.#routes) {
      const match = operation.methods.includes(method) ? pattern.exec(path) : null
      if (match) return { operation, params: decodeParams(match.groups ?? {}) }
    }
    return undefined
  }

  /** Deviations of a request from the API description, as texts. */
  checkRequest(operation: ApiOperation, request: ProviderRequest): string[] {
    const { query, body, raw, headers } = request
    const names = operation.anyQuery ? [] : [...new Set(query.keys())]
    return [
      ...names.flatMap((name) =>
        this.#checkParameter(name, query.getAll(name), operation.query[name]),
      ),
      ...this.#checkBody(operation, { body, raw, type: headers['content-type'] ?? '' }),
    ]
  }

  /** Deviations of a response from the API description, as texts. */
  checkResponse(operation: ApiOperation, { status, contentType, bytes }: SentResponse): string[] {
    const isJson = contentType.startsWith('application/json')
    // Error responses that are not JSON are not checked: front ends of providers also send HTML or
    // an empty body.
    if (status >= 400) return isJson ? this.#check(this.#error, parseJson(bytes)) : []
    const schema = operation.responses[status]
    if (schema === undefined) return [`status ${status} is not described`]
    if (schema === true) return []
    if (schema === null) return bytes.length === 0 ? [] : ['the body is not empty']
    return isJson ? this.#check(schema, parseJson(bytes)) : [`content type ${contentType}`]
  }

  #checkParameter(name: string, values: string[], parameter?: QueryParameter): string[] {
    if (!parameter) return [`query parameter ${name} is not described`]
    if (values.length > 1 && !parameter.repeated) return [`query parameter ${name} is repeated`]
    const single = parameter.separator ? values.flatMap(splitList) : values
    return single
      .flatMap((value) => this.#check(parameter.schema, valueOf(value, parameter.schema)))
      .map((text) => `query parameter ${name}: ${text}`)
  }

  #checkBody(
    { request, otherTypes = [] }: ApiOperation,
    { body, raw, type }: { body: unknown; raw: Buffer; type: string },
  ): string[] {
    if (request === true) return []
    if (request === undefined) return raw.length === 0 ? [] : ['a body is not described']
    if (otherTypes.some((other) => type.startsWith(other))) return []
    if (!type.startsWith('application/json')) return [`content type ${type || '(none)'}`]
    return body === undefined ? ['the body is not JSON'] : this.#check(request, body)
  }

  #check(schema: Schema, value: unknown): string[] {
    if (value === undefined) return ['the body is not JSON']
    const validate = this.#compiled.get(schema) ?? this.#compile(schema)
    if (validate(value)) return []
    // Validation errors of the JSON Schema keyword `if` are left out, because the errors of its
    // branch are reported, too.
    const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if')
    return errors.map(({ instancePath, message = '', params }) =>
      `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
    )
  }

  #compile(schema: Schema): ValidateFunction {
    const validate = this.#ajv.compile(withAbsoluteRefs(schema) as object)
    this.#compiled.set(schema, validate)
    return validate
  }
}

function routeOf(template: string, operation: ApiOperation): Route {
  const parts = template.split(/\{[^}]+\}/)
  const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name)
  const groups = names.map((_, index) => `(?<p${index}>[^/]+?)`)
  const source = parts.map((part, index) => escapeRegExp(part) + (groups[index] ?? '')).join('')
  const named = names.reduce(
    (text, name, index) => text.replace(`?<p${index}>`, `?<${groupName(name)}>`),
    source,
  )
  return { pattern: new RegExp(`^${named}$`), literal: parts.join('').length, operation }
}

/**
 * Converts a name in a path template to the name of a group in a regular expression, in which `-`
 * is not allowed: `user-id` becomes `user_id`.
 */
function groupName(name: string): string {
  return name.replace(/\W/g, '_')
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function decodeParams(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]),
  )
}

/**
 * Splits a list in a query parameter of Graph at commas outside of parentheses. Parentheses follow
 * an expanded property.
 */
function splitList(text: string): string[] {
  return text.split(/,(?![^(]*\))/).map((item) => item.trim().replace(/\(.*\)$/s, ''))
}

/** Converts the text of a query parameter to the type of its schema. */
function valueOf(text: string, schema: Schema): unknown {
  const type = typeof schema === 'boolean' ? undefined : schema['type']
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'integer' || type === 'number') return /^-?\d+$/.test(text) ? Number(text) : text
  return text
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

function withAbsoluteRefs(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"api#/$defs/')) as Schema
}
