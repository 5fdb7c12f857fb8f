import type { Attributes, Token } from '../tokens.ts'
import type { RequestedBytes } from './fetch-filter.ts'
import { maxExcessBytes, maxLineBytes } from './limits.ts'

/**
 * Data item of a FETCH command for message content. `partial` is the first byte and the number of
 * bytes.
 */
type Content = { section: { value?: unknown }[]; partial?: number[] }

/**
 * Limits for the message content that a FETCH command requests. Of a header, only the requested
 * bytes are kept. Other content is kept as a whole, because a server that ignores ranges sends the
 * content only once.
 */
export function requestedBytes(attributes: Attributes): RequestedBytes {
  const contents = (attributes || []).flat().filter(isContent)
  const lengths = contents.map(({ partial }) => partial?.[1] ?? maxExcessBytes)
  const longest = Math.max(maxLineBytes, ...lengths)
  const each = longest + maxExcessBytes
  const isHeader = contents.every(({ section: [name] }) => name?.value === 'HEADER')
  const total = lengths.reduce((sum, length) => sum + length, 0)
  return { kept: isHeader ? longest : each, each, total: total + maxExcessBytes }
}

function isContent(token: Token | string): token is Token & Content {
  return typeof token === 'object' && token !== null && !Array.isArray(token) && 'section' in token
}
