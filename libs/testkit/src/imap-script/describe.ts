import { field, type MimePart, readParameters } from './mime-tree.ts'
import { nstring, string } from './syntax.ts'

/** ENVELOPE (RFC 9051 §7.5.2). */
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

/** Splits at commas and around groups, but not inside quotes, comments and angle brackets. */
function splitAddresses(text: string): string[] {
  return text.match(/(?:"(?:[^"\\]|\\.)*"|<[^>]*>|\([^)]*\)|[^,;:"<(])+[:;]?|;/g) ?? []
}

function address(text: string): string[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  // RFC 9051 §7.5.2: an address with a NIL host begins a group, without a mailbox it ends one.
  if (trimmed.endsWith(':')) return [`(NIL NIL ${string(trimmed.slice(0, -1))} NIL)`]
  if (trimmed.endsWith(';')) return [...address(trimmed.slice(0, -1)), '(NIL NIL NIL NIL)']
  const [, name = '', angled] = /^(.*?)\s*(?:<([^>]*)>)?$/.exec(trimmed) ?? []
  const [mailbox = '', host] = (angled ?? name).split('@')
  const display = angled === undefined ? '' : name.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1')
  return [`(${nstring(display || undefined)} NIL ${string(mailbox)} ${nstring(host ?? '')})`]
}

/** BODYSTRUCTURE (RFC 9051 §7.5.2), with extension data. */
export function bodyStructure(part: MimePart): string {
  const extension = `${disposition(part.header)} NIL ${nstring(field(part.header, 'content-location'))}`
  if (part.type === 'multipart' && part.parts.length > 0)
    return `(${part.parts.map(bodyStructure).join('')} ${string(part.subtype)} ${parameters(part.parameters)} ${extension})`
  const { header, body, type, subtype } = part
  const [inner] = part.parts
  const lines = String(body.split('\r\n').length - 1)
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
