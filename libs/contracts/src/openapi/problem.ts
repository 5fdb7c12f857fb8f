import { type TSchema, Type } from 'typebox'
import type { Operation } from '../define.ts'
import { Int, Text } from '../schemas/primitives.ts'
import { errorStatuses } from './error-statuses.ts'

/** Body of all error responses of the API. See the section "Error body" of the interface spec. */
export const Problem = Type.Object({
  statusCode: Int(
    'HTTP status. If Gmail rejects a request it is that of Gmail, with the message `OAuth2 request failed` and no `code`.',
  ),
  error: Text('Phrase of the HTTP status.'),
  message: Text('Reason of the error, human-readable.'),
  code: Type.Optional(Text('Documented error code. Absent for other errors.')),
  fields: Type.Optional(
    Type.Array(
      Type.Object({
        message: Text('Reason for which the input is rejected.'),
        key: Text('Last part of the path.'),
        path: Text('Path of the input, such as `to.0.address`.'),
      }),
      { description: 'Rejected inputs of a failed validation.' },
    ),
  ),
  state: Type.Optional(Text('State of the account. With 503.')),
  ttl: Type.Optional(Int('Seconds until the rate limit resets, if known. With 429.')),
  existingAccount: Type.Optional(
    Text('Account that has the OAuth2 user already. With `AccountAlreadyExists`.'),
  ),
  requestedScope: Type.Optional(Text('Scope that the token lacks. With 403.')),
  requiredPermission: Type.Optional(
    Type.Object(
      { action: Text('Action of the operation.'), group: Text('Group of the operation.') },
      { description: 'Permission that the token lacks. With 403.' },
    ),
  ),
  remoteAddress: Type.Optional(
    Text('Client address outside the address restrictions of the token. With 403.'),
  ),
  info: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Further information, often `response` with the reply of the mail server or provider.',
    }),
  ),
  details: Type.Optional(Type.Unknown({ description: 'Further information on some operations.' })),
  attributes: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Further information on a rejected token. With 401.',
    }),
  ),
})

const invalidTemplate = 'A text is not a valid template.'
const meanings: Record<number, string> = {
  400: 'The request is malformed or contradictory. `fields` lists rejected inputs.',
  401: 'The token is missing (`Unauthorized`) or invalid (`Bad token`).',
  403: 'The scope, permissions, account or restrictions of the token do not allow the request, or the mail provider denies it.',
  404: 'The resource does not exist.',
  413: 'The body exceeds the size limit of the operation, or the message that of the mail provider.',
  422: 'The mail server lacks an extension that the operation needs.',
  429: 'The rate limit of the token, the client address or the mail provider is exhausted. It resets in `ttl` s.',
  500: 'Internal error.',
  502: 'The mail server rejected the uploaded message.',
  503: 'The account is unavailable. `state` is its current state.',
  504: 'The worker of the account did not respond within the timeout.',
}

/** Error responses that an API operation may send, by HTTP status, with their error codes. */
export function errorResponses(operation: Operation, problem: TSchema): Record<string, object> {
  const statuses = new Map<number, string[]>(
    [400, 401, 403, 429, 500, 503].map((status) => [status, []]),
  )
  if (namesResource(operation)) statuses.set(404, [])
  if (operation.body) statuses.set(413, [])
  if (rendersTemplates(operation)) statuses.set(422, [])
  for (const code of operation.errors ?? []) {
    const status = errorStatuses[code]
    if (status === undefined) throw new Error(`${operation.id} lists ${code}, which has no status`)
    statuses.set(status, [...(statuses.get(status) ?? []), code])
  }
  const sorted = [...statuses].sort(([a], [b]) => a - b)
  return Object.fromEntries(
    sorted.map(([status, codes]) => [String(status), response(status, codes, problem)]),
  )
}

/**
 * True if the request of an operation names a resource. If the resource does not exist, the
 * response is a 404 without an error code.
 */
function namesResource({ path, boundBy, body }: Operation): boolean {
  const { properties = {} } = (body ?? {}) as { properties?: object }
  const isNamed = /\/:(?:account|gateway|listId|token)\b/.test(path) || boundBy !== undefined
  return isNamed || 'account' in properties
}

/**
 * True if the request body of an operation contains templates. For an invalid template, the
 * response is a 422 without an error code.
 */
function rendersTemplates({ body }: Operation): boolean {
  const { properties = {} } = (body ?? {}) as { properties?: object }
  return 'render' in properties
}

function response(status: number, codes: string[], problem: TSchema): object {
  const list = codes.length === 0 ? '' : ` Codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`
  return {
    description:
      status === 422 && list === '' ? invalidTemplate : `${meanings[status] ?? 'Error.'}${list}`,
    ...(status === 429 ? { headers: rateLimitHeaders } : {}),
    content: { 'application/json': { schema: problem } },
  }
}

const header = (description: string) => ({ description, schema: { type: 'integer' } })
const rateLimitHeaders = {
  'X-RateLimit-Limit': header('Requests allowed per window.'),
  'X-RateLimit-Reset': header('Seconds until the window resets.'),
}
