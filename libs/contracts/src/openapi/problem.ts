import { type TSchema, Type } from 'typebox'
import { needsStepUp, readsMail } from '../admin/roles.ts'
import type { Operation } from '../define.ts'
import { Int, Text } from '../schemas/primitives.ts'
import { errorMeanings } from './error-meanings.ts'
import { errorStatuses } from './error-statuses.ts'

/** Body of all error responses of the API. See the section "Error body" of the interface spec. */
export const Problem = Type.Object({
  statusCode: Int(
    'HTTP status of the response. If the Gmail API rejects a request, the HTTP status of the Gmail API, with the message `OAuth2 request failed` and without `code`.',
  ),
  error: Text('Phrase of the HTTP status, such as `Not Found`. The reason is in `message`.'),
  message: Text(
    'Reason of the error, for human readers. The text can change: use `code` in programs.',
  ),
  code: Type.Optional(
    Text(
      'Error code, such as `MessageNotFound`, or the response code of the mail server. Absent for errors without a code.',
    ),
  ),
  fields: Type.Optional(
    Type.Array(
      Type.Object({
        message: Text('Reason for which the input is rejected, with the path of the input.'),
        key: Text('Name of the rejected input: the last part of `path`.'),
        path: Text('Path of the rejected input in the request, such as `to.0.address`.'),
      }),
      { description: 'Rejected inputs. Only present if the request fails its validation (400).' },
    ),
  ),
  state: Type.Optional(
    Text(
      'Current state of the account that the request names. Only in responses with the status 503.',
    ),
  ),
  ttl: Type.Optional(
    Int(
      'Seconds until the current time window of the exceeded rate limit ends. Only in responses with the status 429, if the time is known.',
    ),
  ),
  existingAccount: Type.Optional(
    Text(
      'Id of the account that already has the OAuth2 user. Only with the code `AccountAlreadyExists`.',
    ),
  ),
  requestedScope: Type.Optional(
    Text('Scope that the operation needs and the token lacks. Only with the status 403.'),
  ),
  requiredPermission: Type.Optional(
    Type.Object(
      {
        action: Text(
          'Action that the permissions of the token must allow: `read`, `write`, `send` or `destructive`.',
        ),
        group: Text(
          'Group of operations that the permissions of the token must allow, such as `message` or `account`.',
        ),
      },
      {
        description:
          'Permission that the operation needs and the token lacks. Only with the status 403.',
      },
    ),
  ),
  requiredRole: Type.Optional(
    Text(
      'Role that the request needs and the person at the administration pages lacks: `owner`, `operator`, `support` or `auditor`. Only with the status 403.',
    ),
  ),
  remoteAddress: Type.Optional(
    Text(
      'IP address of the client, if the restrictions of the token exclude this address. Only in responses with the status 403.',
    ),
  ),
  info: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Further information on the error. Member `response`: reply of the mail server or mail provider.',
    }),
  ),
  details: Type.Optional(
    Type.Unknown({ description: 'Further information on the error, for a few operations only.' }),
  ),
  attributes: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Further information on a rejected token. Only with the status 401.',
    }),
  ),
})

const invalidTemplate = 'A text with placeholders in the request is not a valid template.'
const meanings: Record<number, string> = {
  400: 'The request is malformed or contradictory. `fields` lists rejected inputs.',
  401: 'The token is missing (`Unauthorized`) or invalid (`Bad token`).',
  403: 'The scope, permissions, account or restrictions of the token do not allow the request, or the mail provider denies it.',
  404: 'The resource does not exist.',
  413: 'The request body exceeds the size limit of the operation, or the message exceeds the size limit of the mail provider.',
  422: 'The mail server lacks an extension that the operation needs.',
  429: 'The rate limit of the token, the client address or the mail provider is exhausted. The limit resets after `ttl` seconds, if `ttl` is present.',
  500: 'The service failed to process the request. The reason is in the log of the service.',
  502: 'The mail server rejected the request.',
  503: 'The account or the service is unavailable now. For an account, `state` is its current state.',
  504: 'The worker of the account did not respond within the timeout.',
}

interface ErrorContent {
  /** Schema of the bodies of API error responses. */
  problem: TSchema
  /** Examples of API error bodies, by HTTP status. */
  examples?: Readonly<Record<number, unknown>> | undefined
}

/** Error responses that an API operation may send, by HTTP status, with their error codes. */
export function errorResponses(
  operation: Operation,
  { problem, examples = {} }: ErrorContent,
): Record<string, object> {
  const statuses = new Map<number, string[]>(
    [400, 401, 403, 429, 500, 503].map((status) => [status, []]),
  )
  if (namesResource(operation)) statuses.set(404, [])
  if (operation.body) statuses.set(413, [])
  if (rendersTemplates(operation)) statuses.set(422, [])
  for (const code of new Set([...(operation.errors ?? []), ...errorsOfPeople(operation)])) {
    const status = errorStatuses[code]
    if (status === undefined) throw new Error(`${operation.id} lists ${code}, which has no status`)
    statuses.set(status, [...(statuses.get(status) ?? []), code])
  }
  const sorted = [...statuses].sort(([a], [b]) => a - b)
  return Object.fromEntries(
    sorted.map(([status, codes]) => [
      String(status),
      response(status, codes, {
        schema: problem,
        ...(status in examples && { example: examples[status] }),
      }),
    ]),
  )
}

/** Error codes of an API operation that only people at the administration pages get. */
function errorsOfPeople({ id }: Operation): string[] {
  return [
    ...(readsMail(id) ? ['MailReadingRequired'] : []),
    ...(needsStepUp(id) ? ['StepUpRequired'] : []),
  ]
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

function response(status: number, codes: readonly string[], content: object): object {
  const meaning = meanings[status] ?? 'Error.'
  const list = codes.map((code) => `- \`${code}\`: ${errorMeanings[code] ?? ''}`)
  return {
    description:
      status === 422 && codes.length === 0
        ? invalidTemplate
        : [meaning, ...(codes.length > 0 ? ['', ...list] : [])].join('\n'),
    ...(status === 429 ? { headers: rateLimitHeaders } : {}),
    content: { 'application/json': content },
  }
}

const header = (description: string) => ({ description, schema: { type: 'integer' } })
const rateLimitHeaders = {
  'X-RateLimit-Limit': header(
    'Number of requests that the exceeded rate limit allows in each time window.',
  ),
  'X-RateLimit-Reset': header(
    'Seconds until the current time window of the exceeded rate limit ends.',
  ),
}
