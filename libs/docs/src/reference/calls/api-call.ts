import type { LocatedOperation } from '../api-document.ts'

/** Call of an API operation with example values. */
export interface ApiCall {
  operationId: string
  method: string
  /** Path template of the API operation, such as `/v1/account/{account}`. */
  template: string
  /** Path of the API call with example values, and with the query. */
  path: string
  pathParameters: Readonly<Record<string, string | boolean>>
  queryParameters: Readonly<Record<string, string | boolean>>
  /** First example of the request body. Undefined for an API operation without a body. */
  body?: unknown
  /** Content type of the API operation's successful response. */
  produces: string
}

/** Builds the call of an API operation from the examples of the OpenAPI document. */
export function exampleCall(operation: LocatedOperation): ApiCall {
  const { operationId, method, path: template, requestBody, responses } = operation
  const pathParameters = examplesIn(operation, 'path')
  const queryParameters = examplesIn(operation, 'query')
  const examples = requestBody?.content['application/json']?.examples
  const [example] = Object.values(examples ?? {})
  return {
    operationId,
    method,
    template,
    path: `${fill(template, pathParameters)}${toQuery(queryParameters)}`,
    pathParameters,
    queryParameters,
    ...(example && { body: example.value }),
    produces: Object.keys(responses['200']?.content ?? {})[0] ?? 'application/json',
  }
}

function examplesIn({ parameters }: LocatedOperation, place: 'path' | 'query') {
  return Object.fromEntries(
    parameters.flatMap(({ in: where, name, example }) =>
      where === place && example !== undefined ? [[name, example]] : [],
    ),
  )
}

function fill(template: string, values: ApiCall['pathParameters']): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name] ?? '')),
  )
}

function toQuery(values: ApiCall['queryParameters']): string {
  const query = Object.entries(values).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  )
  return query.length === 0 ? '' : `?${query.join('&')}`
}
