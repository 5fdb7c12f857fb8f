import type { SearchTerms } from '../searches.ts'
import { type Translations, translateTerms } from './search-filter.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * Functions that translate search terms to expressions of Graph's `$search` (Keyword Query
 * Language).
 */
const translations: Translations = {
  to: (value) => phrase('to', value),
  cc: (value) => phrase('cc', value),
  bcc: (value) => phrase('bcc', value),
  body: (value) => phrase('body', value),
  larger: (bytes) => `size>${bytes}`,
  smaller: (bytes) => `size<${bytes}`,
  since: (date) => `received>=${lowerDay(date)}`,
  before: (date) => `received<${upperDay(date)}`,
  sentSince: (date) => `sent>=${lowerDay(date)}`,
  sentBefore: (date) => `sent<${upperDay(date)}`,
}

/**
 * Translates search terms to the value of Graph's `$search`. The search index compares days in an
 * unknown time zone, so the caller must check the times of all messages found. Undefined without
 * terms.
 *
 * @throws MailApiError `unsupported-term`
 */
export function translateSearch(terms: SearchTerms): string | undefined {
  const expressions = translateTerms(terms, translations)
  if (expressions.length === 0) return undefined
  // The expressions of Graph's `$search` are joined with AND, because a blank between two
  // restrictions of one property means OR. Operators must be in capitals.
  return `"${expressions.join(' AND ').replace(/[\\"]/g, '\\$&')}"`
}

/**
 * Phrase for Graph's `$search`. A search text of an API client never becomes an operator. Undefined
 * for a text without a letter or digit.
 */
function phrase(property: string, value: string): string | undefined {
  const clean = value.replace(/[\p{Cc}"\s]+/gu, ' ').trim()
  if (!/[\p{L}\p{N}]/u.test(clean)) return undefined
  const isWord = /^[A-Za-z0-9][A-Za-z0-9@._+-]*$/.test(clean)
  return `${property}:${isWord ? clean : `"${clean}"`}`
}

/**
 * First day of a search for messages from `date` on. The day is early enough for any time zone of
 * the search index.
 */
function lowerDay(date: Date): string {
  return dayOf(date.getTime() - 12 * hourMs)
}

/**
 * Day after the last day of a search for messages before `date`. The day is late enough for any
 * time zone of the search index.
 */
function upperDay(date: Date): string {
  const time = date.getTime() + 14 * hourMs
  return dayOf(time % dayMs === 0 ? time : time + dayMs)
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
