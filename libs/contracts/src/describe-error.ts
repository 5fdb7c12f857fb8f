import type { ErrorObject } from 'ajv/dist/2020.js'
import { unionKeyword } from './union-errors.ts'

/** Rejected field of an API request, as described in an error body. */
export interface FieldError {
  message: string
  /** Name of the rejected field of an API request: the last part of the field's path. */
  key: string
  /** Path of the rejected field in the API request, such as `to.0.address`. */
  path: string
}

/**
 * Maximum length of a field name in an error body. Longer names are truncated, because the sender
 * of the request chooses them.
 */
const maxNameLength = 200

/** Converts a validation error of ajv to the description of the rejected field in an error body. */
export function describeError(error: ErrorObject): FieldError {
  const parts = partsOf(error)
  const path = parts.join('.')
  return { message: `"${path || 'body'}" ${reasonOf(error)}`, key: parts.at(-1) ?? '', path }
}

/** Describes a field of an API request that violates a rule that the schema cannot express. */
export function fieldError(path: string, reason: string): FieldError {
  return { message: `"${path}" ${reason}`, key: path.slice(path.lastIndexOf('.') + 1), path }
}

function partsOf({ instancePath, keyword, params, propertyName }: ErrorObject): string[] {
  const parts = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'required') parts.push(String(params['missingProperty']))
  else if (keyword === 'additionalProperties') parts.push(String(params['additionalProperty']))
  else if (keyword === 'unevaluatedProperties') parts.push(String(params['unevaluatedProperty']))
  else if (propertyName !== undefined) parts.push(propertyName)
  return parts.map((part) => part.slice(0, maxNameLength))
}

const reasons: Record<string, (params: Record<string, unknown>) => string> = {
  required: () => 'is required',
  additionalProperties: () => 'is not allowed',
  unevaluatedProperties: () => 'is not allowed',
  type: ({ type }) => `must be of type ${[type].flat().join(' or ')}`,
  format: ({ format }) => `must be a valid ${formatNames[String(format)] ?? String(format)}`,
  enum: ({ allowedValues }) => `must be one of ${[allowedValues].flat().map(String).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  pattern: () => 'has the wrong form',
  [unionKeyword]: ({ wanted }) => `must be ${[wanted].flat().join(' or ')}`,
  minProperties: () => 'must not be empty',
}

function reasonOf({ keyword, params, message }: ErrorObject): string {
  return reasons[keyword]?.(params) ?? message ?? 'is invalid'
}

/** Names of schema formats for error messages to API clients. */
export const formatNames: Record<string, string> = {
  'mail-address': 'email address',
  'date-time': 'ISO 8601 date',
  'http-url': 'http or https URL',
  'http-url-or-empty': 'http or https URL',
  'target-address': 'http or https URL without login and query',
  'proxy-url': 'http, https or socks URL',
  'ip-address': 'IP address',
  'list-id': 'list id with the syntax of a host name',
  'proxy-url-or-empty': 'http, https or socks URL',
  'host-name': 'host name or address',
  locale: 'language tag such as de-AT',
  'time-zone': 'time zone such as Europe/Tallinn',
  'one-line': 'single line of text',
  'header-name': 'header name',
  'header-prefix-or-empty': 'header prefix such as X-EE-',
  'mailbox-path': 'folder path',
  'message-flag': 'flag or keyword',
  'sequence-set': 'set of numbers such as 1:10,20',
  'search-text': 'text',
  'address-range': 'IP address or CIDR range',
  base64: 'base64 text',
  'json-object': 'JSON object',
  'change-id': 'id of a change',
  'delivery-cursor': 'cursor',
  'event-cursor': 'cursor',
  'event-stream-id': 'id of a frame',
  uuid: 'id',
}
