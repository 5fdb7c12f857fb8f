import { type TSchema, Type } from 'typebox'
import type { Operation } from '../define.ts'
import { errorStatuses } from './error-statuses.ts'

/** The body of every error. Interface spec, "Error body". */
export const Problem = Type.Object({
  statusCode: Type.Integer({ description: 'Equals the HTTP status' }),
  error: Type.String({ description: 'The phrase of the status, not the reason' }),
  message: Type.String({ description: 'The reason, for people' }),
  code: Type.Optional(Type.String({ description: 'Only where one is documented' })),
  fields: Type.Optional(
    Type.Array(
      Type.Object({
        message: Type.String(),
        key: Type.String(),
        path: Type.String({ description: 'Dotted, such as `to.0.address`' }),
      }),
      { description: 'Rejected inputs, of a failed validation' },
    ),
  ),
  state: Type.Optional(Type.String({ description: 'Of the account, with 503' })),
  ttl: Type.Optional(Type.Integer({ description: 'Seconds until the window resets, with 429' })),
  requestedScope: Type.Optional(Type.String({ description: 'That the token lacks, with 403' })),
  requiredPermission: Type.Optional(
    Type.Object(
      { action: Type.String(), group: Type.String() },
      { description: 'That the permissions record does not admit, with 403' },
    ),
  ),
  remoteAddress: Type.Optional(
    Type.String({ description: 'Outside of the addresses of the token, with 403' }),
  ),
  info: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  details: Type.Optional(Type.Unknown()),
  attributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

const unfilled = 'A text cannot be filled in as the template it is'
const meanings: Record<number, string> = {
  400: 'The request is malformed or contradicts itself; `fields` lists rejected inputs',
  401: 'No usable token: `Unauthorized` without one, `Bad token` with one that is refused',
  403: 'The token does not admit this: scope, permission, account, address or referrer',
  404: 'There is no such thing',
  413: 'The body is larger than this operation takes',
  422: 'The mail server lacks an extension that this needs',
  429: "The token's rate limit is used up; `ttl` says for how many seconds",
  500: 'Something failed that should not have',
  502: 'The mail server refused what was uploaded',
  503: 'The account cannot serve the request now; `state` says in which state it is',
  504: "The account's worker gave no answer in time",
}

/** The error responses of an operation, by status, each with the codes that it may carry. */
export function errorResponses(operation: Operation, problem: TSchema): Record<string, object> {
  const statuses = new Map<number, string[]>(
    [400, 401, 403, 429, 500, 503].map((status) => [status, []]),
  )
  if (namesOthers(operation)) statuses.set(404, [])
  if (operation.body) statuses.set(413, [])
  if (fillsIn(operation)) statuses.set(422, [])
  for (const code of operation.errors ?? []) {
    const status = errorStatuses[code]
    if (status === undefined) throw new Error(`${operation.id} names ${code}, which has no status`)
    statuses.set(status, [...(statuses.get(status) ?? []), code])
  }
  const sorted = [...statuses].sort(([a], [b]) => a - b)
  return Object.fromEntries(
    sorted.map(([status, codes]) => [String(status), response(status, codes, problem)]),
  )
}

/** Whether it speaks of something whose absence is a 404 without a code. */
function namesOthers({ path, boundBy }: Operation): boolean {
  return /\/:(?:account|gateway|listId|token)\b/.test(path) || boundBy !== undefined
}

/** Whether it takes texts with placeholders: one that cannot be filled in is a 422 without a code. */
function fillsIn({ body }: Operation): boolean {
  const { properties = {} } = (body ?? {}) as { properties?: object }
  return 'render' in properties
}

function response(status: number, codes: string[], problem: TSchema): object {
  const list = codes.length === 0 ? '' : `. Codes: ${codes.map((code) => `\`${code}\``).join(', ')}`
  return {
    description: status === 422 && list === '' ? unfilled : `${meanings[status] ?? 'Error'}${list}`,
    ...(status === 429 ? { headers: rateLimitHeaders } : {}),
    content: { 'application/json': { schema: problem } },
  }
}

const header = (description: string) => ({ description, schema: { type: 'integer' } })
const rateLimitHeaders = {
  'X-RateLimit-Limit': header('Requests in a window'),
  'X-RateLimit-Reset': header('Seconds until the window resets'),
}
