import { defined } from '@posthorn/contracts/defined'
import { MailApiError } from '../../mail-api/errors.ts'
import type { SearchTerms } from '../../searches.ts'
import { findLabel, flagLabels, type NamedLabel } from '../labels.ts'

/** Query parameters of Gmail's `messages.list`. */
export interface GmailQuery {
  labelIds: string[]
  q?: string
  includeSpamTrash?: true
}

/**
 * Plan how to find the messages of a search by requests to Gmail: by one list, by ids, or by a
 * thread.
 */
export type SearchPlan =
  | { kind: 'list'; query: GmailQuery }
  /** Search that no message can match, so that Gmail need not be asked. */
  | { kind: 'nothing' }
  /**
   * Search for Gmail messages with these ids, in this order; all other search terms are ignored.
   */
  | { kind: 'ids'; ids: readonly string[] }
  /**
   * Search for one Gmail message, or for the messages of a thread, by id. Search terms other than
   * the id are checked by this client.
   */
  | { kind: 'message' | 'thread'; id: string }

export interface SearchInput {
  /**
   * Id of the Gmail label to search in. If absent, the search covers the mailbox without spam and
   * trash.
   */
  folderId?: string | undefined
  search?: SearchTerms
  /**
   * Labels of the Gmail mailbox that is searched. Used only if the search has terms about labels.
   */
  labels: readonly NamedLabel[]
}

/**
 * Search terms that only Gmail can evaluate, in the order of the query. They cannot be combined
 * with a search by message or thread id.
 */
const textTerms = ['from', 'to', 'cc', 'bcc', 'body', 'subject', 'header', 'gmailRaw'] as const
const localTerms = [
  'unseen',
  'seen',
  'flagged',
  'larger',
  'smaller',
  'before',
  'since',
  'emailId',
  'threadId',
  'labels',
] as const
const supported: ReadonlySet<string> = new Set([...textTerms, ...localTerms])

/**
 * Longest Gmail search query in bytes after encoding, so that a request line has at most 8,000
 * bytes.
 */
const maxQueryBytes = 7_000

/**
 * Translates search terms to a plan for Gmail. A term that cannot be translated is refused and
 * never ignored, because callers may delete all messages found.
 *
 * @throws MailApiError `unsupported-term`; `label-missing` for a label that does not exist
 */
export function planSearch({ folderId, search = {}, labels }: SearchInput): SearchPlan {
  if (search.emailIds) return { kind: 'ids', ids: search.emailIds }
  const names = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : name))
  for (const name of names) if (!supported.has(name)) throw unsupported(name)
  const query = queryOf({ folderId, search, labels })
  const byId = search.emailId ?? search.threadId
  if (byId !== undefined) {
    const textTerm = textTerms.find((name) => search[name] !== undefined)
    if (textTerm) throw unsupported(textTerm)
    return { kind: search.emailId === undefined ? 'thread' : 'message', id: byId }
  }
  return search.smaller === 0 ? { kind: 'nothing' } : { kind: 'list', query }
}

function queryOf({ folderId, search = {}, labels }: SearchInput): GmailQuery {
  const { has = [], not = [] } = search.labels ?? {}
  const folder = folderId === undefined ? [] : [folderId]
  const labelIds = [...new Set([...folder, ...has.map((label) => labelOf(labels, label).id)])]
  const terms = [...flagTerms(search), ...phraseTerms(search), ...numberTerms(search)]
  if (search.header) terms.push(messageIdTerm(search.header))
  const excluded = not.map((label) => notTerm(labels, labelOf(labels, label)))
  const raw = rawTerm(search.gmailRaw, terms.length + excluded.length > 0)
  const q = [...terms, ...raw, ...excluded].join(' ')
  assertLength(q, search)
  const isHidden = labelIds.includes('SPAM') || labelIds.includes('TRASH')
  return defined({
    labelIds,
    q: q === '' ? undefined : q,
    includeSpamTrash: isHidden ? (true as const) : undefined,
  })
}

function phraseTerms(search: SearchTerms): string[] {
  return (['from', 'to', 'cc', 'bcc', 'body', 'subject'] as const).flatMap((name) => {
    const value = search[name]
    if (value === undefined) return []
    return `${name === 'body' ? '' : `${name}:`}${quoted(name, value)}`
  })
}

function numberTerms({ larger, smaller, before, since }: SearchTerms): string[] {
  return [
    // The search term `larger:0` is left out, because every message is larger than 0 bytes.
    ...(larger ? [`larger:${larger}`] : []),
    ...(smaller === undefined ? [] : [`smaller:${smaller}`]),
    // Times in a Gmail query are given in seconds, because Gmail reads a date as midnight in
    // California. The time of `after` is 1 s earlier, because `after` may exclude its own second.
    ...(before ? [`before:${Math.ceil(before.getTime() / 1_000)}`] : []),
    ...(since ? [`after:${Math.floor(since.getTime() / 1_000) - 1}`] : []),
  ]
}

function flagTerms({ unseen, seen, flagged }: SearchTerms): string[] {
  const read = (isRead: boolean) => (isRead ? 'is:read' : 'is:unread')
  return [
    ...(unseen === undefined ? [] : [read(!unseen)]),
    ...(seen === undefined ? [] : [read(seen)]),
    ...(flagged === undefined ? [] : [flagged ? 'is:starred' : '-is:starred']),
  ]
}

/**
 * Quotes a phrase for a Gmail query: search operators within a phrase are plain text. Gmail has no
 * escape for a quotation mark within a phrase.
 */
function quoted(term: string, value: string): string {
  const text = value.replace(/[\p{Cc}"\s]+/gu, ' ').trim()
  // A phrase without letters and digits is refused: Gmail may ignore such a phrase, and every
  // message would match.
  if (!/[\p{L}\p{N}]/u.test(text)) throw unsupported(term)
  return `"${text}"`
}

function messageIdTerm(header: NonNullable<SearchTerms['header']>): string {
  const [[name, value] = ['', true], ...others] = Object.entries(header)
  const isMessageId = name.toLowerCase() === 'message-id' && others.length === 0
  if (!isMessageId || typeof value !== 'string') throw unsupported('header')
  const term = messageIdQuery(value)
  if (term === undefined) throw unsupported('header')
  return term
}

/**
 * Search term for a Message-ID, which Gmail compares without brackets. Undefined if the Message-ID
 * needs quotes.
 */
export function messageIdQuery(value: string): string | undefined {
  const id = value.trim().replace(/^<(.*)>$/s, '$1')
  const isUsable = id !== '' && !/[\s\p{Cc}"(){}<>]/u.test(id)
  return isUsable ? `rfc822msgid:${id}` : undefined
}

/**
 * Raw Gmail query of an API client: unchanged without other terms, otherwise in parentheses. A
 * query that would close these parentheses is refused.
 */
function rawTerm(raw: string | undefined, isCombined: boolean): string[] {
  if (raw === undefined) return []
  if (!isCombined) return [raw]
  if (!isBalanced(raw)) throw unsupported('gmailRaw')
  return [`(${raw})`]
}

function isBalanced(raw: string): boolean {
  const open: string[] = []
  let isQuoted = false
  for (const character of raw) {
    if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '(' || character === '{') open.push(character)
    else if (character === ')' && open.pop() !== '(') return false
    else if (character === '}' && open.pop() !== '{') return false
  }
  return !isQuoted && open.length === 0
}

function labelOf(labels: readonly NamedLabel[], text: string): NamedLabel {
  const label = findLabel(labels, text)
  if (label) return label
  throw new MailApiError('label-missing', `The label ${text.slice(0, 200)} does not exist.`)
}

function notTerm(labels: readonly NamedLabel[], { id, name, isSystem }: NamedLabel): string {
  if (isSystem) return systemTerm(id)
  const word = wordOf(name)
  if (labels.filter((each) => !each.isSystem && wordOf(each.name) === word).length > 1)
    throw unsupported('labels.not')
  return `-label:${word}`
}

function systemTerm(id: string): string {
  if (id.startsWith('CATEGORY_')) {
    const category = id.slice('CATEGORY_'.length).toLowerCase()
    return `-category:${category === 'personal' ? 'primary' : category}`
  }
  if (id === flagLabels.unseen) return '-is:unread'
  return ['STARRED', 'IMPORTANT'].includes(id)
    ? `-is:${id.toLowerCase()}`
    : `-in:${id === 'CHAT' ? 'chats' : id.toLowerCase()}`
}

/** Converts a label name to the form that Gmail queries require. */
function wordOf(name: string): string {
  return name.toLowerCase().replace(/[\s/&|(){}"]/g, '-')
}

function assertLength(q: string, search: SearchTerms): void {
  if (encodeURIComponent(q).length <= maxQueryBytes) return
  const lengthOf = (name: (typeof textTerms)[number]) => JSON.stringify(search[name] ?? '').length
  const [longest] = [...textTerms].sort((one, other) => lengthOf(other) - lengthOf(one))
  throw unsupported(longest ?? 'labels')
}

function unsupported(name: string): MailApiError {
  return new MailApiError('unsupported-term', `Search term ${name} is not supported for Gmail.`)
}
