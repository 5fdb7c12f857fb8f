import type { SearchTerms } from '../../searches.ts'
import type { GmailMessage } from '../../provider-types/gmail.ts'
import { findLabel, flagLabels, type NamedLabel } from '../labels.ts'
import type { SearchInput } from './search.ts'

interface CheckedMessage {
  labelIds: readonly string[]
  threadId: string | undefined
  size: number
  receivedAt: number
}

type Check<T> = (message: CheckedMessage, value: T, labels: readonly NamedLabel[]) => boolean

const has = ({ labelIds }: CheckedMessage, id: string) => labelIds.includes(id)
const hasLabel = (message: CheckedMessage, text: string, labels: readonly NamedLabel[]) =>
  has(message, findLabel(labels, text)?.id ?? text)

/**
 * Functions that check a Gmail message against one search term each. Only terms with a function can
 * be combined with a search for message ids.
 */
const checks: { [K in keyof SearchTerms]?: Check<NonNullable<SearchTerms[K]>> } = {
  unseen: (message, value) => has(message, flagLabels.unseen) === value,
  seen: (message, value) => has(message, flagLabels.unseen) !== value,
  flagged: (message, value) => has(message, flagLabels.flagged) === value,
  larger: ({ size }, value) => size > value,
  smaller: ({ size }, value) => size < value,
  before: ({ receivedAt }, value) => receivedAt < value.getTime(),
  since: ({ receivedAt }, value) => receivedAt >= value.getTime(),
  threadId: ({ threadId }, value) => threadId === value,
  labels: (message, { has: all = [], not = [] }, labels) =>
    all.every((label) => hasLabel(message, label, labels)) &&
    !not.some((label) => hasLabel(message, label, labels)),
}

/**
 * True if a Gmail message matches the folder and all other terms of a search. Gmail does not apply
 * these terms when a message is read by id.
 */
export function matchesLocally(
  { labelIds = [], internalDate, sizeEstimate: size = 0, threadId }: Partial<GmailMessage>,
  { folderId, search = {}, labels }: SearchInput,
): boolean {
  const message = { labelIds, threadId, size, receivedAt: Number(internalDate) }
  const isInside =
    folderId === undefined
      ? !has(message, 'SPAM') && !has(message, 'TRASH')
      : has(message, folderId)
  return (
    isInside &&
    Object.entries(search).every(([name, value]) => {
      const check = checks[name as keyof SearchTerms] as Check<unknown> | undefined
      return check === undefined || value === undefined || check(message, value, labels)
    })
  )
}
