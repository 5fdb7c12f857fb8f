import { field, type MimePart } from '../../imap-script/mime-tree.ts'
import { textOf } from './payload.ts'

/** Members of a Gmail message that search queries need. */
export interface QueriedMessage {
  mime: MimePart
  labels: ReadonlySet<string>
  internalDate: number
  size: number
}

type Test = (message: QueriedMessage) => boolean

interface Token {
  isNegated: boolean
  operator: string
  value: string
}

/**
 * Parses the parameter `q` of a Gmail search and returns a function that checks a message. Supports
 * terms, phrases, `-`, `OR` and parentheses. `labelOf` finds the id of a label by its form in
 * queries. Unknown operators match nothing.
 */
export function parseQuery(q: string, labelOf: (word: string) => string | undefined): Test {
  const tokens = q.match(/-?(?:\w+:)?"[^"]*"|[()]|[^\s()"]+/g)?.map((token) => token) ?? []
  let at = 0
  const parseAll = (): Test => {
    const alternatives: Test[][] = [[]]
    while (at < tokens.length && tokens[at] !== ')') {
      const token = tokens[at++] ?? ''
      if (token === 'OR') alternatives.push([])
      else alternatives.at(-1)?.push(token === '(' ? parseGroup() : termTest(token, labelOf))
    }
    return (message) => alternatives.some((tests) => tests.every((test) => test(message)))
  }
  const parseGroup = (): Test => {
    const test = parseAll()
    at++
    return test
  }
  return parseAll()
}

function termTest(text: string, labelOf: (word: string) => string | undefined): Test {
  const { isNegated, operator, value } = readToken(text)
  const test = tests[operator]?.(value, labelOf) ?? (() => false)
  return (message) => test(message) !== isNegated
}

function readToken(text: string): Token {
  const [, minus, operator = '', quoted, bare = ''] =
    /^(-?)(?:(\w+):)?(?:"([^"]*)"|(.*))$/s.exec(text) ?? []
  return { isNegated: minus === '-', operator, value: quoted ?? bare }
}

const byHeader =
  (name: string) =>
  (value: string): Test =>
  ({ mime }) =>
    contains(field(mime.header, name), value)

const places: Readonly<Record<string, string>> = {
  inbox: 'INBOX',
  sent: 'SENT',
  draft: 'DRAFT',
  spam: 'SPAM',
  trash: 'TRASH',
}

const states: Readonly<Record<string, Test>> = {
  unread: ({ labels }) => labels.has('UNREAD'),
  read: ({ labels }) => !labels.has('UNREAD'),
  starred: ({ labels }) => labels.has('STARRED'),
  important: ({ labels }) => labels.has('IMPORTANT'),
}

type LabelOf = (word: string) => string | undefined

const tests: Readonly<Record<string, (value: string, labelOf: LabelOf) => Test>> = {
  from: byHeader('from'),
  to: byHeader('to'),
  cc: byHeader('cc'),
  bcc: byHeader('bcc'),
  subject: byHeader('subject'),
  '':
    (value) =>
    ({ mime }) =>
      contains(mime.header, value) || contains(textOf(mime), value),
  rfc822msgid:
    (value) =>
    ({ mime }) =>
      field(mime.header, 'message-id')?.trim() === `<${value}>`,
  after:
    (value) =>
    ({ internalDate }) =>
      internalDate >= Number(value) * 1_000,
  before:
    (value) =>
    ({ internalDate }) =>
      internalDate < Number(value) * 1_000,
  larger:
    (value) =>
    ({ size }) =>
      size > Number(value),
  smaller:
    (value) =>
    ({ size }) =>
      size < Number(value),
  is: (value) => states[value] ?? (() => false),
  in:
    (value) =>
    ({ labels }) =>
      labels.has(places[value] ?? ''),
  category:
    (value) =>
    ({ labels }) =>
      labels.has(`CATEGORY_${value.toUpperCase()}`),
  label:
    (value, labelOf) =>
    ({ labels }) =>
      labels.has(labelOf(value) ?? ''),
  has:
    (value) =>
    ({ mime }) =>
      value === 'attachment' && /filename=/i.test(mime.body),
}

function contains(text = '', part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}
