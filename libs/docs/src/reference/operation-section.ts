import type { ApiOperation, ApiParameter, LocatedOperation } from './api-document.ts'
import { exampleCall } from './calls/api-call.ts'
import { curlCall } from './calls/curl-call.ts'
import { pythonCall } from './calls/python-call.ts'
import { typescriptCall } from './calls/typescript-call.ts'
import { codeBlock } from './markdown.ts'
import { memberTable } from './member-table.ts'
import { errorsOf } from './operation-errors.ts'
import { parameterParts } from './parameter-tables.ts'
import { typeText } from './schema-rows.ts'

/**
 * Parts of a documentation page that describe one API operation. `shared` are the parameters that
 * the page describes once for several operations.
 */
export function operationSection(
  operation: LocatedOperation,
  shared: readonly ApiParameter[],
): string[] {
  const { operationId, method, path, summary, description = '', parameters } = operation
  const call = exampleCall(operation)
  return [
    `## ${summary}`,
    `\`${method} ${path}\`, \`${operationId}\` in the client. ${permissionText(operation)}`,
    description,
    ...parameterParts(parameters, shared),
    ...bodyParts(operation),
    ...responseParts(operation),
    `**Errors** [described below](#errors): ${errorLine(operation)}`,
    '**Call**',
    codeBlock('sh', curlCall(call)),
    codeBlock('ts', typescriptCall(call)),
    codeBlock('py', pythonCall(call)),
  ]
}

function permissionText(operation: LocatedOperation): string {
  return `Permission: action \`${operation['x-svc-action']}\`, group \`${operation['x-svc-group']}\`.`
}

function bodyParts({ requestBody }: ApiOperation): string[] {
  if (requestBody === undefined) return []
  const { schema } = requestBody.content['application/json'] ?? { schema: {} }
  const table = memberTable(schema)
  return [
    '**Request body**',
    requestBody.required ? '' : 'The body is optional.',
    table === '' ? `JSON: ${typeText(schema)}.` : table,
  ]
}

function responseParts({ responses }: ApiOperation): string[] {
  const { description = '', content = {} } = responses['200'] ?? {}
  const [[type, media] = []] = Object.entries(content)
  if (media === undefined) return []
  const { example, schema } = media
  const isText = typeof example === 'string'
  return [
    '**Response**',
    type === 'application/json' ? description : `${description} Content type: \`${type}\`.`,
    memberTable(schema),
    example === undefined
      ? ''
      : codeBlock(isText ? 'text' : 'json', isText ? example : JSON.stringify(example, null, 2)),
  ]
}

/** Statuses and codes of the error responses of an API operation. */
function errorLine({ responses }: ApiOperation): string {
  const statuses = errorsOf(responses).map(({ status, codes }) =>
    [status, codes.map(({ code }) => `\`${code}\``).join(', ')].filter(Boolean).join(' '),
  )
  return `${statuses.join('; ')}.`
}
