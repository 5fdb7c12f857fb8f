import type { SearchTerms } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import { parseDate } from '@posthorn/contracts/formats'
import type { Search } from '@posthorn/contracts/schemas/search'

/** Converts validated search terms of a request to search terms of a mail session. Pure. */
export function toSearchTerms(search: Search): SearchTerms {
  const { modseq, before, since, sentBefore, sentSince, ...terms } = search
  return defined({
    ...terms,
    before: toDate(before),
    since: toDate(since),
    sentBefore: toDate(sentBefore),
    sentSince: toDate(sentSince),
    modseq: modseq === undefined ? undefined : BigInt(modseq),
  })
}

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : parseDate(text)
}
