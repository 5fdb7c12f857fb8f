import type { GraphMessage } from '../provider-types/graph.ts'
import type { SearchTerms } from '../searches.ts'
import { dateOf, labelsOf } from './message-fields.ts'
import { messageIdOf, termNames, type TermName, unsupportedTerm } from './search-filter.ts'

type Check<K extends TermName> = (
  value: NonNullable<SearchTerms[K]>,
  message: GraphMessage,
) => boolean

/** Functions that check a listed Graph message against one search term each. */
const checks: { [K in TermName]?: Check<K> } = {
  since: (date, { receivedDateTime }) => compare(receivedDateTime, date) >= 0,
  before: (date, { receivedDateTime }) => compare(receivedDateTime, date) < 0,
  sentSince: (date, { sentDateTime }) => compare(sentDateTime, date) >= 0,
  sentBefore: (date, { sentDateTime }) => compare(sentDateTime, date) < 0,
  unseen: (value, { isRead }) => (isRead === false) === value,
  seen: (value, { isRead }) => (isRead === true) === value,
  draft: (value, { isDraft }) => (isDraft === true) === value,
  flagged: (value, { flag }) => (flag?.flagStatus === 'flagged') === value,
  from: (value, { from }) =>
    [from?.emailAddress?.address, from?.emailAddress?.name].some((text) => includes(text, value)),
  subject: (value, { subject }) => includes(subject, value),
  threadId: (value, { conversationId }) => conversationId === value,
  header: (value, { internetMessageId }) => internetMessageId === messageIdOf(value),
  labels: ({ has = [], not = [] }, { categories }) => {
    const labels = labelsOf(categories)
    return has.every((each) => labels.includes(each)) && !not.some((each) => labels.includes(each))
  },
}

/**
 * Creates a function that checks a Graph message against the named search terms.
 *
 * @throws MailApiError `unsupported-term` for a term that cannot be checked with the properties of
 * listed messages
 */
export function checkOf(
  terms: SearchTerms,
  names: readonly TermName[] = termNames(terms),
): (message: GraphMessage) => boolean {
  const refused = names.find((name) => !Object.hasOwn(checks, name))
  if (refused) throw unsupportedTerm(refused)
  return (message) =>
    names.every((name) => {
      const check = checks[name] as (value: unknown, message: GraphMessage) => boolean
      return check(terms[name], message)
    })
}

function includes(text: string | null | undefined, part: string): boolean {
  return text?.toLowerCase().includes(part.trim().toLowerCase()) ?? false
}

/**
 * Difference in milliseconds between a time of a Graph message and `date`. Not a number if the
 * message has no such time.
 */
function compare(text: string | null | undefined, date: Date): number {
  return (dateOf(text)?.getTime() ?? Number.NaN) - date.getTime()
}
