import { GraphFault, isoOf } from './json.ts'
import type { FakeMessage } from './mailbox.ts'
import { sizeOf } from './views.ts'

type Test = (message: FakeMessage) => boolean

const address = ({ content }: FakeMessage) => content.from?.emailAddress.address ?? ''
/** Properties of a Graph message that filters compare, as text. */
const properties: Record<string, (message: FakeMessage) => string> = {
  receivedDateTime: ({ receivedAt }) => isoOf(receivedAt),
  sentDateTime: ({ sentAt }) => isoOf(sentAt),
  isRead: ({ isRead }) => String(isRead),
  isDraft: ({ isDraft }) => String(isDraft),
  subject: ({ content }) => content.subject ?? '',
  internetMessageId: ({ content }) => content.internetMessageId,
  conversationId: ({ conversationId }) => conversationId,
  'flag/flagStatus': ({ flagStatus }) => flagStatus,
  'from/emailAddress/address': address,
  'from/emailAddress/name': ({ content }) => content.from?.emailAddress.name ?? '',
  'body/content': ({ content }) => content.body.content,
}

const operators: Record<string, (one: string, other: string) => boolean> = {
  eq: (one, other) => one === other,
  ne: (one, other) => one !== other,
  lt: (one, other) => one < other,
  le: (one, other) => one <= other,
  gt: (one, other) => one > other,
  ge: (one, other) => one >= other,
}

/**
 * Parses a `$filter` of a Graph request and returns a function that checks a message. Supports the
 * filters that Graph supports.
 * @throws GraphFault
 */
export function filterOf(filter: string, orderby: string | null): Test {
  const ordered = orderby?.split(' ')[0]
  if (ordered !== undefined && !filter.startsWith(`${ordered} `))
    throw new GraphFault(
      400,
      'InefficientFilter',
      'The restriction or sort order is too complex for this operation.',
    )
  const tests = splitAt(filter, ' and ').map(clauseOf)
  return (message) => tests.every((test) => test(message))
}

function clauseOf(clause: string): Test {
  if (clause.startsWith('not ')) {
    const test = clauseOf(clause.slice(4))
    return (message) => !test(message)
  }
  if (clause.startsWith('(') && clause.endsWith(')')) {
    const tests = splitAt(clause.slice(1, -1), ' or ').map(clauseOf)
    return (message) => tests.some((test) => test(message))
  }
  const any = /^categories\/any\((\w+):\1 eq '((?:[^']|'')*)'\)$/.exec(clause)
  if (any) return ({ categories }) => categories.includes(unquote(any[2]))
  const contains = /^contains\(([\w/]+),'((?:[^']|'')*)'\)$/.exec(clause)
  if (contains) {
    const part = unquote(contains[2]).toLowerCase()
    return (message) => propertyOf(contains[1])(message).toLowerCase().includes(part)
  }
  return comparisonOf(clause)
}

function comparisonOf(clause: string): Test {
  const match = /^([\w/]+) (eq|ne|lt|le|gt|ge) (?:'((?:[^']|'')*)'|([\w:.-]+))$/.exec(clause)
  if (!match) throw new GraphFault(400, 'BadRequest', `Invalid filter clause: ${clause}`)
  const [, name, operator = '', text, bare = ''] = match
  const value = text === undefined ? bare : unquote(text)
  const read = propertyOf(name)
  const compare = operators[operator] ?? (() => false)
  return (message) => compare(read(message), value)
}

function propertyOf(name = ''): (message: FakeMessage) => string {
  const property = properties[name]
  if (!property)
    throw new GraphFault(
      400,
      'RequestBroker--ParseUri',
      `Could not find a property named '${name}'.`,
    )
  return property
}

function unquote(text = ''): string {
  return text.replace(/''/g, "'")
}

/** Splits a Graph filter at a separator outside of quotes and parentheses. */
function splitAt(text: string, separator: string): string[] {
  const parts = ['']
  let depth = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ''
    if (character === "'") quoted = !quoted
    if (!quoted && character === '(') depth++
    if (!quoted && character === ')') depth--
    if (!quoted && depth === 0 && text.startsWith(separator, index)) {
      parts.push('')
      index += separator.length - 1
    } else parts[parts.length - 1] += character
  }
  return parts
}

/**
 * Parses a `$search` (Keyword Query Language) and returns a function that checks a message.
 * @throws GraphFault
 */
export function searchOf(search: string): Test {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(search) ?? []
  if (quoted === undefined)
    throw new GraphFault(
      400,
      'BadRequest',
      "Syntax error: character ':' is not valid at position 4.",
    )
  const tests = quoted.replace(/\\(.)/g, '$1').split(' AND ').map(termOf)
  return (message) => tests.every((test) => test(message))
}

function termOf(term: string): Test {
  const [, name = '', operator = '', raw = ''] = /^(\w+)(:|>=|<=|>|<)(.*)$/s.exec(term) ?? []
  const text = raw.replace(/^"|"$/g, '').toLowerCase()
  if (name === 'size')
    return (message) =>
      operator === '>' ? sizeOf(message) > Number(raw) : sizeOf(message) < Number(raw)
  const read = indexed[name]
  // A misspelled property in a Graph search is no error, but matches nothing.
  if (!read) return () => false
  if (operator === '>=') return (message) => read(message).slice(0, 10) >= raw
  if (operator === '<') return (message) => read(message).slice(0, 10) < raw
  return (message) => read(message).toLowerCase().includes(text)
}

const indexed: Record<string, (message: FakeMessage) => string> = {
  to: ({ content }) => JSON.stringify(content.to),
  cc: ({ content }) => JSON.stringify(content.cc),
  bcc: ({ content }) => JSON.stringify(content.bcc),
  body: ({ content }) => content.body.content,
  received: ({ receivedAt }) => isoOf(receivedAt),
  sent: ({ sentAt }) => isoOf(sentAt),
}
