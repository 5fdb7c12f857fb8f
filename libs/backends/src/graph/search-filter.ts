import { MailApiError } from '../mail-api/errors.ts'
import type { SearchTerms } from '../searches.ts'

export type TermName = keyof SearchTerms

/**
 * Functions that translate search terms to expressions of Graph, in the order of the expressions. A
 * search is refused if a term has no function, or if the function returns undefined for its value.
 */
export type Translations = {
  readonly [K in TermName]?: (value: NonNullable<SearchTerms[K]>) => string | string[] | undefined
}

/**
 * Pattern of a Message-ID that can be searched in Graph. Graph stores a Message-ID with one pair of
 * angle brackets.
 */
const messageIdPattern = /^<?([^<>\s"(){}\p{Cc}]+)>?$/u

/** Functions that translate search terms to expressions of Graph's `$filter`. */
const translations: Translations = {
  since: (date) => `receivedDateTime ge ${utcSeconds(date)}`,
  before: (date) => `receivedDateTime lt ${utcSeconds(date)}`,
  unseen: (value) => `isRead eq ${!value}`,
  seen: (value) => `isRead eq ${value}`,
  draft: (value) => `isDraft eq ${value}`,
  flagged: (value) => `flag/flagStatus ${value ? 'eq' : 'ne'} 'flagged'`,
  from: (value) => fromFilter(cleanText(value)?.trim()),
  body: (value) => contains('body/content', cleanText(value)),
  subject: (value) => contains('subject', cleanText(value)),
  sentSince: (date) => `sentDateTime ge ${utcSeconds(date)}`,
  sentBefore: (date) => `sentDateTime lt ${utcSeconds(date)}`,
  threadId: (value) => equals('conversationId', cleanText(value)),
  header: (value) => equals('internetMessageId', messageIdOf(value)),
  labels: ({ has = [], not = [] }) => [
    ...has.map((name) => `categories/any(c:c eq ${quoted(name)})`),
    ...not.map((name) => `not categories/any(c:c eq ${quoted(name)})`),
  ],
}

/**
 * First expression of a `$filter` on Graph messages that are ordered by time: Graph requires that
 * the ordered property comes first. The expression matches every message.
 */
const anyTime = 'receivedDateTime ge 1900-01-01T00:00:00Z'

/**
 * Translates search terms to Graph's `$filter`. A term that cannot be translated is refused, never
 * ignored. The result of a filter by thread must not be ordered. Undefined without terms.
 *
 * @throws MailApiError `unsupported-term`
 */
export function translateFilter(
  terms: SearchTerms,
): { filter: string; ordered: boolean } | undefined {
  const expressions = translateTerms(terms, translations)
  if (expressions.length === 0) return undefined
  const ordered = terms.threadId === undefined
  const isTimed = terms.since !== undefined || terms.before !== undefined
  const first = ordered && !isTimed ? [anyTime] : []
  return { filter: [...first, ...expressions].join(' and '), ordered }
}

/** Names of the terms that a search for Graph messages contains. */
export function termNames(terms: SearchTerms): TermName[] {
  return (Object.keys(terms) as TermName[]).filter((name) => terms[name] !== undefined)
}

export function unsupportedTerm(name: string): MailApiError {
  return new MailApiError('unsupported-term', `Searching by ${name} is not supported`)
}

/**
 * UTC time for Graph's `$filter`, in seconds. Times are rounded up, so that a lower bound never
 * includes earlier messages.
 */
export function utcSeconds(date: Date): string {
  const seconds = Math.ceil(date.getTime() / 1_000) * 1_000
  return new Date(seconds).toISOString().replace('.000Z', 'Z')
}

/** Text for Graph's `$filter`, in quotes. Quotes within the text are doubled. */
export function quoted(text: string): string {
  return `'${text.replace(/'/g, "''")}'`
}

/**
 * Message-ID that a search term for a header contains, with angle brackets. Undefined for any other
 * header.
 */
export function messageIdOf(header: NonNullable<SearchTerms['header']>): string | undefined {
  const [entry, ...others] = Object.entries(header)
  if (!entry || others.length > 0 || entry[0].toLowerCase() !== 'message-id') return undefined
  const text = typeof entry[1] === 'string' ? entry[1].trim() : ''
  const id = messageIdPattern.exec(text)?.[1]
  return id === undefined ? undefined : `<${id}>`
}

/**
 * Translates search terms for Graph messages, each to one expression.
 * @throws MailApiError `unsupported-term`
 */
export function translateTerms(terms: SearchTerms, translations: Translations): string[] {
  const names = termNames(terms)
  const refused = names.find((name) => !Object.hasOwn(translations, name))
  if (refused) throw unsupportedTerm(refused)
  const order = Object.keys(translations) as TermName[]
  return order
    .filter((name) => names.includes(name))
    .flatMap((name) => {
      const translate = translations[name] as (value: unknown) => string | string[] | undefined
      const expressions = translate(terms[name])
      if (expressions === undefined) throw unsupportedTerm(name)
      return expressions
    })
}

/** Replaces control characters in a Graph search text with blanks. Undefined for blank text. */
function cleanText(text: string): string | undefined {
  const clean = text.replace(/\p{Cc}/gu, ' ')
  return clean.trim() === '' ? undefined : clean
}

function contains(property: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `contains(${property},${quoted(text)})`
}

function equals(property: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${property} eq ${quoted(text)}`
}

function fromFilter(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const [address, name] = ['from/emailAddress/address', 'from/emailAddress/name']
  if (/^[^\s@"<>]+@[^\s@"<>]+$/.test(text)) return equals(address, text)
  return `(${contains(address, text)} or ${contains(name, text)})`
}
