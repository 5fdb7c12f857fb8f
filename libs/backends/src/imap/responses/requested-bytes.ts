import type { Attributes, Token } from '../tokens.ts'
import type { RequestedBytes } from './fetch-filter.ts'
import { maxExcessBytes, maxLineBytes } from './limits.ts'

/**
 * Data item of a FETCH command for message content. `partial` is the first byte and the number of
 * bytes.
 */
type Content = { section: { value?: unknown }[]; partial?: number[] }

/**
 * Limits for the message content that a FETCH command requests. Only the requested bytes of each
 * section are kept, even if the server ignores ranges. A single section of a single message is kept
 * as a whole, unless it is the header: for a download, such a server sends the content only once.
 */
export function requestedBytes(attributes: Attributes): RequestedBytes {
  const contents = (attributes || []).flat().filter(isContent)
  const lengths = contents.map(({ partial }) => partial?.[1] ?? maxExcessBytes)
  const longest = Math.max(maxLineBytes, ...lengths)
  const each = longest + maxExcessBytes
  const total = lengths.reduce((sum, length) => sum + length, 0) + maxExcessBytes
  if (isDownload(attributes, contents)) return { kept: each, sections: new Map(), each, total }
  const sections = contents.map(({ section }, at) => [nameOf(section), lengths[at] ?? 0] as const)
  return { kept: longest, sections: new Map(sections), each, total }
}

function isDownload(attributes: Attributes, contents: readonly Content[]): boolean {
  const [content] = contents
  if (!content || contents.length > 1 || nameOf(content.section) === 'HEADER') return false
  return (attributes || []).flat().some((token) => isSingleNumber(token))
}

function isSingleNumber(token: Token | string): boolean {
  const { value } = typeof token === 'object' && token && 'value' in token ? token : {}
  return typeof value === 'string' && /^\d+$/.test(value)
}

/** Name of a section in upper case, such as `HEADER` or `1.2`. Empty for the whole message. */
function nameOf([name]: Content['section']): string {
  return String(name?.value ?? '').toUpperCase()
}

function isContent(token: Token | string): token is Token & Content {
  return typeof token === 'object' && token !== null && !Array.isArray(token) && 'section' in token
}
