import type { SearchTerms } from '@posthorn/backends'
import { parseDate, type Search } from '@posthorn/contracts'

/** The terms of a request, checked already, as a mail session takes them. Pure. */
export function toSearchTerms(search: Search): SearchTerms {
  const { modseq, before, since, sentBefore, sentSince, labels, ...terms } = search
  const dates = { before, since, sentBefore, sentSince }
  return {
    ...terms,
    ...datesOf(dates),
    ...(modseq === undefined ? {} : { modseq: BigInt(modseq) }),
    ...(labels === undefined ? {} : { labels }),
  }
}

type Dates = 'before' | 'since' | 'sentBefore' | 'sentSince'

function datesOf(dates: Record<Dates, string | undefined>): { [_ in Dates]?: Date } {
  return Object.fromEntries(
    Object.entries(dates).flatMap(([name, text]) => {
      const date = text === undefined ? undefined : parseDate(text)
      return date === undefined ? [] : [[name, date]]
    }),
  ) as { [_ in Dates]?: Date }
}
