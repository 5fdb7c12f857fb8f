import { AppError } from '@posthorn/errors'
import type { SearchTerms } from '../../mail-session.ts'
import { maxUid } from '../../uid-ranges.ts'
import { missingExtension } from '../connection/errors.ts'
import { maxLineLength, type Token } from '../tokens.ts'

/** Capabilities that decide which IMAP search keys the server and the selected mailbox support. */
export interface Searchable {
  modseq: boolean
  objectId: boolean
  gmail: boolean
  /** True if the IMAP server has the search keys OLDER and YOUNGER (RFC 5032). */
  within: boolean
  /** Encodes a Gmail label for an IMAP command in the way a mailbox name is encoded. */
  encodeLabel: (label: string) => string
  now: Date
}

/**
 * Maximum length of a quoted text in an IMAP search. Longer texts are sent as literals, which do
 * not count towards the length of the line.
 */
const maxQuoted = 64
const maxTextLength = 65_536
const maxHeaders = 40
const maxSetLength = 65_536
/** Maximum number of message ids in one IMAP search. OR nests the search keys of the ids. */
const maxIdsAtOnce = 50
const maxModseq = 2n ** 63n - 1n
/** Maximum number of seconds for the search keys OLDER and YOUNGER, whose values have 32 bits. */
const maxSeconds = 2 ** 31

const flagKeys = {
  answered: ['ANSWERED', 'UNANSWERED'],
  deleted: ['DELETED', 'UNDELETED'],
  draft: ['DRAFT', 'UNDRAFT'],
  seen: ['SEEN', 'UNSEEN'],
  unseen: ['UNSEEN', 'SEEN'],
  flagged: ['FLAGGED', 'UNFLAGGED'],
} as const
const textKeys = ['from', 'to', 'cc', 'bcc', 'subject', 'body'] as const
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * Converts search terms of the REST API to lists of IMAP search keys. Each list is one SEARCH
 * command, and a message matches if any of the searches finds it. Terms yield several lists if
 * their sets or message ids exceed a line, and no list if they cannot match. Input is sent as
 * quoted text or literal, never as atom.
 */
export function searchKeys(terms: SearchTerms, searchable: Searchable): Token[][] {
  if (terms.emailIds) return idKeys(terms.emailIds, searchable)
  const { emailId, threadId } = terms
  const keys = [
    ...flagKeysOf(terms),
    ...textKeys.flatMap((key) => keyed(key, terms[key])),
    ...headerKeys(terms),
    ...sizeKeys(terms),
    ...dateKeys(terms, searchable),
    ...modseqKeys(terms, searchable),
    ...gmailKeys(terms, searchable),
  ]
  for (const [key, id] of [['EMAILID', emailId] as const, ['THREADID', threadId] as const]) {
    if (id === undefined) continue
    const idTokens = idKey(key, id, searchable)
    if (!idTokens) return []
    keys.push(...idTokens)
  }
  return withSets(keys, terms)
}

/** True if the search keys contain text that SEARCH must mark with CHARSET UTF-8. */
export function needsCharset(keys: readonly Token[]): boolean {
  return keys.some(
    (key) => key && !Array.isArray(key) && Buffer.isBuffer(key.value) && !isAscii(key.value),
  )
}

function flagKeysOf(terms: SearchTerms): Token[] {
  return (Object.keys(flagKeys) as (keyof typeof flagKeys)[]).flatMap((term) => {
    const wanted = terms[term]
    return wanted === undefined ? [] : word(flagKeys[term][wanted ? 0 : 1])
  })
}

function headerKeys({ header = {} }: SearchTerms): Token[] {
  const headers = Object.entries(header)
  if (headers.length > maxHeaders) throw invalidTerm('header', `has more than ${maxHeaders} names`)
  return headers.flatMap(([name, value]) => {
    // Pattern of a header name in an IMAP search (RFC 5322 §3.6.8). The limit of its length is far
    // below the 998 octets of a line.
    if (!/^[!-9;-~]{1,100}$/.test(name))
      throw invalidTerm('header', 'contains an invalid header name')
    return [word('HEADER'), text(name, 'header'), text(value === true ? '' : value, 'header')]
  })
}

function sizeKeys(terms: SearchTerms): Token[] {
  return (['larger', 'smaller'] as const).flatMap((term) => {
    const bytes = terms[term]
    if (bytes === undefined) return []
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw invalidTerm(term, 'is not a number of bytes')
    return [word(term.toUpperCase()), word(String(Math.min(bytes, maxUid)))]
  })
}

function dateKeys(terms: SearchTerms, searchable: Searchable): Token[] {
  return [
    ...arrivalKeys('before', terms.before, searchable),
    ...arrivalKeys('since', terms.since, searchable),
    ...dayKeys('sentBefore', terms.sentBefore),
    ...dayKeys('sentSince', terms.sentSince),
  ]
}

/** IMAP search keys for arrival times. With WITHIN, a date with a time is exact to the second. */
export function arrivalKeys(
  term: 'before' | 'since',
  date: Date | undefined,
  { within, now }: Searchable,
): Token[] {
  if (date === undefined || !within || startsDay(date)) return dayKeys(term, date)
  const seconds = Math.round((now.getTime() - date.getTime()) / 1000)
  return seconds >= 1 && seconds < maxSeconds
    ? [word(term === 'before' ? 'OLDER' : 'YOUNGER'), word(String(seconds))]
    : dayKeys(term, date)
}

/**
 * Search keys that compare days (RFC 9051 §6.4.4). If the upper bound has a time of day, messages
 * of that whole day match.
 */
function dayKeys(
  term: 'before' | 'since' | 'sentBefore' | 'sentSince',
  date: Date | undefined,
): Token[] {
  if (date === undefined) return []
  const upTo = term === 'before' || term === 'sentBefore'
  const day = new Date(date.getTime() + (upTo && !startsDay(date) ? 86_400_000 : 0))
  const year = day.getUTCFullYear()
  if (!(year >= 0 && year <= 9_999)) throw invalidTerm(term, 'is not a date')
  const month = months[day.getUTCMonth()] ?? ''
  return [
    word(term.toUpperCase()),
    word(`${day.getUTCDate()}-${month}-${String(year).padStart(4, '0')}`),
  ]
}

function startsDay(date: Date): boolean {
  return date.getTime() % 86_400_000 === 0
}

function modseqKeys({ modseq }: SearchTerms, searchable: Searchable): Token[] {
  if (modseq === undefined) return []
  if (!searchable.modseq) throw missingExtension('The mailbox has no mod-sequences')
  if (modseq < 0n || modseq > maxModseq) throw invalidTerm('modseq', 'is not a mod-sequence')
  return [word('MODSEQ'), word(String(modseq))]
}

/** Search keys of Gmail: https://developers.google.com/workspace/gmail/imap/imap-extensions */
function gmailKeys({ gmailRaw, labels }: SearchTerms, searchable: Searchable): Token[] {
  const has = labels?.has ?? []
  const not = labels?.not ?? []
  if (gmailRaw === undefined && has.length + not.length === 0) return []
  if (!searchable.gmail)
    throw missingExtension('Mail server does not support Gmail labels and searches')
  const label = (name: string) => [
    word('X-GM-LABELS'),
    text(searchable.encodeLabel(name), 'labels'),
  ]
  return [
    ...(gmailRaw === undefined ? [] : [word('X-GM-RAW'), text(gmailRaw, 'gmailRaw')]),
    ...has.flatMap(label),
    ...not.flatMap((name) => [word('NOT'), ...label(name)]),
  ]
}

function idKeys(ids: readonly string[], searchable: Searchable): Token[][] {
  const each = [...new Set(ids)].flatMap((id) => {
    const key = idKey('EMAILID', id, searchable)
    return key ? [key] : []
  })
  const batches: Token[][] = []
  let batch: Token[][] = []
  for (const key of each) {
    if (batch.length === maxIdsAtOnce || lengthOf([...batch, key].flat()) > maxLineLength - 500) {
      batches.push(anyOf(batch))
      batch = []
    }
    batch.push(key)
  }
  return batch.length === 0 ? batches : [...batches, anyOf(batch)]
}

/** Combines several lists of IMAP search keys with OR, which takes two operands. */
function anyOf(keys: readonly Token[][]): Token[] {
  return keys.flatMap((key, at) => (at === keys.length - 1 ? key : [word('OR'), ...key]))
}

/** Search key for a message or thread id. Undefined for an invalid id, which has no matches. */
function idKey(
  key: 'EMAILID' | 'THREADID',
  id: string,
  { objectId, gmail }: Searchable,
): Token[] | undefined {
  // Checks the syntax of an IMAP object id (RFC 8474 §4.3).
  if (objectId) return /^[\w-]{1,255}$/.test(id) ? [word(key), word(id)] : undefined
  if (!gmail) throw missingExtension('Mail server does not support message ids')
  const gmailKey = key === 'EMAILID' ? 'X-GM-MSGID' : 'X-GM-THRID'
  return /^\d{1,20}$/.test(id) ? [word(gmailKey), word(id)] : undefined
}

/**
 * Adds the sequence sets of the terms `seq` and `uid` to IMAP search keys. Returns several searches
 * if the sets exceed the maximum line length.
 */
function withSets(keys: Token[], { seq, uid }: SearchTerms): Token[][] {
  const sets = [
    ...(seq === undefined ? [] : [{ before: [], pieces: setPieces('seq', seq) }]),
    ...(uid === undefined ? [] : [{ before: [word('UID')], pieces: setPieces('uid', uid) }]),
  ]
  const available = Math.floor((maxLineLength - 500 - lengthOf(keys)) / Math.max(1, sets.length))
  let searches = [keys]
  for (const { before, pieces } of sets)
    searches = joinedTo(pieces, Math.max(500, available)).flatMap((set) =>
      searches.map((search) => [...before, { type: 'SEQUENCE', value: set }, ...search]),
    )
  return searches.map((search) => (search.length === 0 ? [word('ALL')] : search))
}

function setPieces(term: 'seq' | 'uid', set: string): string[] {
  if (set.length > maxSetLength) throw invalidTerm(term, 'is too long')
  return set.split(',').map((text) => {
    const piece = text.trim()
    const [, first, last = first] = /^([1-9]\d{0,9}|\*)(?::([1-9]\d{0,9}|\*))?$/.exec(piece) ?? []
    if (!isSequenceNumber(first) || !isSequenceNumber(last))
      throw invalidTerm(term, 'is not a sequence set')
    return piece
  })
}

function isSequenceNumber(number: string | undefined): boolean {
  return number === '*' || Number(number) <= maxUid
}

function joinedTo(pieces: readonly string[], maxLength: number): string[] {
  const joined: string[] = []
  let current = ''
  for (const piece of pieces) {
    if (current !== '' && current.length + 1 + piece.length > maxLength) {
      joined.push(current)
      current = ''
    }
    current = current === '' ? piece : `${current},${piece}`
  }
  return [...joined, current]
}

function keyed(term: (typeof textKeys)[number], value: string | undefined): Token[] {
  return value === undefined ? [] : [word(term.toUpperCase()), text(value, term)]
}

/** Atom of an IMAP search. Used only for fixed words, numbers and dates, never for input. */
function word(value: string): Token {
  return { type: 'ATOM', value }
}

/**
 * Text in an IMAP search: a quoted string for 7-bit text without line ends, otherwise a literal. A
 * literal cannot contain NUL (RFC 9051 §4.3).
 */
function text(value: string, term: keyof SearchTerms): Token {
  if (value.includes('\0') || value.length > maxTextLength)
    throw invalidTerm(term, 'is not a valid text')
  const bytes = Buffer.from(value)
  const quotable = bytes.length <= maxQuoted && isAscii(bytes) && !/[\r\n]/.test(value)
  return quotable ? { type: 'STRING', value } : { type: 'LITERAL', value: bytes }
}

function isAscii(bytes: Buffer): boolean {
  return bytes.every((byte) => byte < 0x80)
}

/** Maximum length of search keys in a command, in octets, without the content of literals. */
function lengthOf(keys: readonly Token[]): number {
  return keys.reduce<number>((length, key) => {
    if (!key || Array.isArray(key)) return length
    if (typeof key.value !== 'string') return length + 17
    return length + 1 + (key.type === 'STRING' ? key.value.length * 2 + 2 : key.value.length)
  }, 0)
}

function invalidTerm(term: keyof SearchTerms, message: string): AppError {
  return new AppError('invalid', `"${term}" ${message}`)
}
