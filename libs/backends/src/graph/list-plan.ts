import type { MessageQuery } from '../mail-api/reads.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import type { SearchTerms } from '../searches.ts'
import { checkOf } from './search-check.ts'
import { termNames, type TermName, translateFilter, unsupportedTerm } from './search-filter.ts'
import { translateSearch } from './search-index.ts'

/** Method by which Graph messages that match a search are listed. */
export type ListPlan =
  /** Method that reads Graph messages by their ids, without a list. */
  | { kind: 'ids'; ids: readonly string[]; check: (message: GraphMessage) => boolean }
  /** Reads the pages of a list in which Graph orders the messages, newest first. */
  | { kind: 'filter'; filter?: string }
  /** Reads all messages of a thread, because Graph does not order the messages of a thread. */
  | { kind: 'thread'; filter: string }
  /** Reads the pages of a search by Graph's search index. */
  | { kind: 'index'; search: string; check: (message: GraphMessage) => boolean }

/** Search terms with times, which the search index of Graph compares by day. */
const checkedTerms: readonly TermName[] = ['since', 'before', 'sentSince', 'sentBefore']
/** Maximum length of the query in a request line to Graph, without the properties of `$select`. */
const maxQueryLength = 7_000

/**
 * Chooses how to read a list of Graph messages for a search.
 *
 * @throws MailApiError `unsupported-term`
 */
export function planList({ search = {}, indexed = false }: MessageQuery): ListPlan {
  if (search.emailIds) return { kind: 'ids', ids: search.emailIds, check: () => true }
  if (indexed) return indexPlan(search)
  const { emailId, ...others } = search
  if (emailId !== undefined) {
    if (others.body !== undefined) throw unsupportedTerm('emailId')
    return { kind: 'ids', ids: [emailId], check: checkOf(others) }
  }
  const translated = translateFilter(search)
  if (!translated) return { kind: 'filter' }
  const { filter, ordered } = translated
  if (encodeURIComponent(filter).length > maxQueryLength) throw unsupportedTerm(longestTerm(search))
  return { kind: ordered ? 'filter' : 'thread', filter }
}

function indexPlan(search: SearchTerms): ListPlan {
  const text = translateSearch(search)
  if (text === undefined) return { kind: 'filter' }
  const checked = termNames(search).filter((name) => checkedTerms.includes(name))
  return { kind: 'index', search: text, check: checkOf(search, checked) }
}

function longestTerm(search: SearchTerms): string {
  const length = (name: TermName) => JSON.stringify(search[name]).length
  return termNames(search).sort((one, other) => length(other) - length(one))[0] ?? 'terms'
}
