import { field, type MimePart, readParameters } from './mime-tree.ts'
import { nstring, string } from './syntax.ts'

/** ENVELOPE of a message for FETCH (RFC 9051 §7.5.2). */
export function envelope(header: string): string {
  const from = addresses(field(header, 'from'))
  const or = (list: string) => (list === 'NIL' ? from : list)
  return `(${[
    nstring(field(header, 'date')),
    nstring(field(header, 'subject')),
    from,
    or(addresses(field(header, 'sender'))),
    or(addresses(field(header, 'reply-to'))),
    addresses(field(header, 'to')),
    addresses(field(header, 'cc')),
    addresses(field(header, 'bcc')),
    nstring(field(header, 'in-reply-to')),
    nstring(field(header, 'message-id')),
  ].join(' ')})`
}

function addresses(text: string | undefined): string {
  const list = text === undefined ? [] : splitAddresses(text).flatMap(address)
  return list.length === 0 ? 'NIL' : `(${list.join('')})`
}

/**
 * Splits a message's address list at commas and around groups, but not inside quotes, comments and
 * angle brackets. Reads the text only once, because hostile messages have a million opening
 * parentheses.
 */
function splitAddresses(text: string): string[] {
  const pieces: string[] = []
  const skip = skipper(text)
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const next = text[at] ?? ''
    if (',:;'.includes(next)) {
      pieces.push(text.slice(start, next === ',' ? at : at + 1))
      start = at + 1
    } else at = skip(at)
  }
  return [...pieces, text.slice(start)]
}

const closing: Readonly<Record<string, string>> = { '"': '"', '<': '>', '(': ')' }

/**
 * Returns a function that skips a quote, bracket or parenthesis in an address list: the function
 * returns the end of the element that opens at a position, or the position itself.
 */
function skipper(text: string): (at: number) => number {
  const unclosed = new Set<string>()
  return (at) => {
    const close = closing[text[at] ?? '']
    if (close === undefined || unclosed.has(close)) return at
    const end = close === '"' ? quoteEnd(text, at) : text.indexOf(close, at + 1)
    if (end < 0) unclosed.add(close)
    return end < 0 ? at : end
  }
}

function quoteEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++)
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  return -1
}

function address(text: string): string[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  // An address with a NIL host begins a group. An address without host and mailbox ends a group
  // (RFC 9051 §7.5.2).
  if (trimmed.endsWith(':')) return [`(NIL NIL ${string(trimmed.slice(0, -1))} NIL)`]
  if (trimmed.endsWith(';')) return [...address(trimmed.slice(0, -1)), '(NIL NIL NIL NIL)']
  const open = trimmed.endsWith('>') ? trimmed.lastIndexOf('<') : -1
  const angled = open < 0 ? undefined : trimmed.slice(open + 1, -1)
  const name = open < 0 ? trimmed : trimmed.slice(0, open).trimEnd()
  const [mailbox = '', host] = (angled ?? name).split('@')
  const display = angled === undefined ? '' : name.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1')
  return [`(${nstring(display || undefined)} NIL ${string(mailbox)} ${nstring(host ?? '')})`]
}

/** BODYSTRUCTURE of a message for FETCH (RFC 9051 §7.5.2), with extension data. */
export function bodyStructure(part: MimePart): string {
  const extension = `${disposition(part.header)} NIL ${nstring(field(part.header, 'content-location'))}`
  if (part.type === 'multipart' && part.parts.length > 0)
    return `(${part.parts.map(bodyStructure).join('')} ${string(part.subtype)} ${parameters(part.parameters)} ${extension})`
  const { header, body, type, subtype } = part
  const [inner] = part.parts
  const lines = String(countLines(body))
  const own =
    type === 'message' && inner
      ? [envelope(inner.header), bodyStructure(inner), lines]
      : type === 'text'
        ? [lines]
        : []
  return `(${[
    string(type),
    string(subtype),
    parameters(part.parameters),
    nstring(field(header, 'content-id')),
    nstring(field(header, 'content-description')),
    string(field(header, 'content-transfer-encoding') ?? '7bit'),
    String(body.length),
    ...own,
    'NIL',
    extension,
  ].join(' ')})`
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) count++
  return count
}

function disposition(header: string): string {
  const text = field(header, 'content-disposition')
  if (text === undefined) return 'NIL'
  const { value, parameters: named } = readParameters(text)
  return `(${string(value)} ${parameters(named)})`
}

function parameters(named: readonly (readonly [string, string])[]): string {
  if (named.length === 0) return 'NIL'
  return `(${named.map((pair) => pair.map(string).join(' ')).join(' ')})`
}
