import type { IncomingMessage } from 'node:http'
import { AppError } from '@posthorn/errors'
import { type BodyPace, hasBody, readBody } from './read-body.ts'

/**
 * Reads the bytes of the JSON body of a request. Undefined if the request has no body. Call this
 * function only after authentication, so that only authorized callers can occupy memory. `pace` can
 * slow down or end the reading.
 *
 * @throws BodyError; AppError `invalid` for another content type
 */
export async function readJsonBytes(
  request: IncomingMessage,
  maxBytes: number,
  pace?: BodyPace,
): Promise<Buffer | undefined> {
  if (!hasBody(request)) return undefined
  const type = request.headers['content-type']
  if (type !== undefined && !isJson(type))
    throw new AppError('invalid', 'Content-Type must be application/json in UTF-8')
  const bytes = await readBody(request, { maxBytes, ...(pace && { pace }) })
  return bytes.length === 0 ? undefined : bytes
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
