import type { IncomingMessage } from 'node:http'
import { AppError } from '@posthorn/errors'
import { assertContent, assertShape } from './json-shape.ts'
import { type BodyPace, hasBody, readBody } from './read-body.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON body of at most `maxBytes`; undefined if there is none. Call it after
 * authentication, so that only authorized callers occupy memory. `pace` may delay or end the reading.
 *
 * @throws BodyError; AppError `invalid` for anything but JSON in UTF-8, excessive nesting, and
 * names such as `__proto__`
 */
export async function readJson(
  request: IncomingMessage,
  maxBytes: number,
  pace?: BodyPace,
): Promise<unknown> {
  if (!hasBody(request)) return undefined
  const type = request.headers['content-type']
  if (type !== undefined && !isJson(type))
    throw new AppError('invalid', 'Content-Type must be application/json in UTF-8')
  const bytes = await readBody(request, { maxBytes, ...(pace && { pace }) })
  if (bytes.length === 0) return undefined
  assertShape(bytes)
  const value = parse(bytes)
  assertContent(value)
  return value
}

function isJson(contentType: string): boolean {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';', 10)
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8)
  const named = charset === undefined || /^"?(?:utf-?8|us-ascii)"?$/.test(charset)
  return (type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)) && named
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new AppError('invalid', 'The body is not valid JSON')
  }
}
