import { check, type Operation } from '@posthorn/contracts'
import { assertText, readJson } from '@posthorn/http'
import type { Request } from 'express'

/** What most operations take. */
const defaultBodyBytes = 1024 * 1024

/** The parts of a request as its contract has them. The body comes last: what is wrong before it is told without reading it. */
export async function readInput(operation: Operation, request: Request, maxUploadBytes: number) {
  const params = textPart(operation.params, request.params)
  const { access_token: _token, ...rest } = request.query
  const query = textPart(operation.query, rest)
  const headers = textPart(operation.headers, declaredHeaders(operation, request))
  return { params, query, headers, body: await readBody(operation, request, maxUploadBytes) }
}

/** Path, query and headers come as text; whatever the operation does not declare at all is not looked at. */
function textPart(schema: Operation['params'], given: object): unknown {
  if (schema === undefined) return undefined
  const part = { ...given }
  for (const text of Object.values(part).flat()) assertText(String(text))
  return check(schema, part, 'text')
}

function declaredHeaders({ headers }: Operation, request: Request): object {
  const names = Object.keys(headers?.properties ?? {})
  const given = names.map((name) => [name, request.headers[name]] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

async function readBody(operation: Operation, request: Request, maxUploadBytes: number) {
  if (operation.body === undefined) return undefined
  const limit = operation.bodyLimit === 'upload' ? maxUploadBytes : defaultBodyBytes
  const body = await readJson(request, limit)
  return check(operation.body, body === undefined && operation.optionalBody ? {} : body)
}
