import type { ErrorObject } from 'ajv/dist/2020.js'
import type { FieldError } from './validate.ts'

/** A schema error in words a caller can act on. */
export function describeError(error: ErrorObject): FieldError {
  const path = pathOf(error)
  const key = path.slice(path.lastIndexOf('.') + 1)
  return { message: `"${path || 'body'}" ${reason(error)}`, key, path }
}

function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const parts = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'required') parts.push(String(params['missingProperty']))
  if (keyword === 'additionalProperties') parts.push(String(params['additionalProperty']))
  if (keyword === 'unevaluatedProperties') parts.push(String(params['unevaluatedProperty']))
  return parts.join('.')
}

function reason({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not allowed'
    case 'type':
      return `must be of type ${[params['type']].flat().join(' or ')}`
    case 'format':
      return `must be a valid ${formatNames[String(params['format'])] ?? String(params['format'])}`
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`
    default:
      return message ?? 'is invalid'
  }
}

const formatNames: Record<string, string> = {
  'mail-address': 'email address',
  'date-time': 'ISO 8601 date',
  'http-url': 'http or https URL',
  'http-url-or-empty': 'http or https URL',
  'host-name': 'host name or address',
  'one-line': 'single line of text',
  'header-name': 'header name',
  'mailbox-path': 'folder path',
  'address-range': 'IP address or CIDR range',
  base64: 'base64 text',
}
