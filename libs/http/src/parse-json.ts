import { isAscii, isUtf8 } from 'node:buffer'
import { AppError } from '@posthorn/errors'
import { assertContent, assertShape } from './json-shape.ts'

/**
 * Parses the bytes of a JSON body with at most `maxValues` members and elements.
 *
 * @throws AppError `invalid` if the bytes are not JSON in UTF-8, for excessive nesting, too many
 * values, and names such as `__proto__`
 */
export function parseJsonBody(bytes: Buffer, maxValues: number): unknown {
  assertShape(bytes, maxValues)
  const value = parse(bytes)
  assertContent(value)
  return value
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(decode(bytes))
  } catch {
    throw new AppError('invalid', 'The body is not valid JSON')
  }
}

/**
 * Decodes the UTF-8 bytes of a JSON body. A byte order mark is ignored. Faster than TextDecoder by
 * a factor of ten for large bodies.
 */
function decode(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (!isUtf8(bytes)) throw new TypeError('not UTF-8')
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', hasMark ? 3 : 0)
}
