import type { Attributes, Token } from '../tokens.ts'
import { maxExcessBytes, maxLineBytes } from './limits.ts'

/** Limits of the message content that the running FETCH command requests. */
export interface RequestedBytes {
  /** Maximum bytes that are kept of one literal or string of message content. */
  kept: number
  /** Maximum bytes that are kept of a body section, by the section's name in upper case. */
  sections: ReadonlyMap<string, number>
  /** Maximum length of a literal of message content. A longer literal ends the IMAP connection. */
  each: number
  /** Maximum bytes that are kept of all message contents in one FETCH response. */
  total: number
}

/** Maximum length of the name of a section of content. A MIME part is nested up to 64 times. */
const maxNameLength = 300

/**
 * Data item of a FETCH command that requests message content. `partial` contains the offset of the
 * first requested byte and the number of bytes.
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
  return typeof name?.value === 'string' ? name.value.toUpperCase() : ''
}

function isContent(token: Token | string): token is Token & Content {
  return typeof token === 'object' && token !== null && !Array.isArray(token) && 'section' in token
}

/** Name of the current data item of a FETCH response, such as `BODY[1]<0>`. */
export class ContentName {
  #name = ''

  start(byte: number): void {
    this.#name = String.fromCharCode(byte)
  }

  add(byte: number): void {
    if (this.#name.length < maxNameLength) this.#name += String.fromCharCode(byte)
  }

  /** Maximum bytes that are kept of the current data item's message content in a FETCH response. */
  keptBytes({ kept, sections }: RequestedBytes): number {
    if (sections.size === 0) return kept
    const [, section] = /^BODY\[([^\]]*)\]/i.exec(this.#name) ?? []
    return sections.get(section?.toUpperCase() ?? '') ?? kept
  }
}
