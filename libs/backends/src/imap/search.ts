import { AppError } from '@posthorn/errors'
import type { ESearchResult, ImapFlow, SearchObject } from 'imapflow'
import type { UidQuery, UidRange } from '../backend.ts'
import { countUids, parseSequenceSet, rangesOf } from '../uid-ranges.ts'
import type { ImapConnection } from './connection.ts'

/** Asks for UIDs, by ESEARCH as long as the server's answers to it hold up. */
export class UidSearch {
  readonly #connection: ImapConnection
  #esearch: boolean

  constructor(connection: ImapConnection) {
    this.#connection = connection
    this.#esearch = connection.client.capabilities.has('ESEARCH')
  }

  async run(query: UidQuery): Promise<UidRange[]> {
    const found = await this.#find(searchTerms(query))
    return 'from' in query ? startingAt(found, query.from) : found
  }

  async #find(terms: SearchObject): Promise<UidRange[]> {
    const connection = this.#connection
    return await connection.call(async (client) => {
      const ranges = this.#esearch ? await this.#byEsearch(client, terms) : undefined
      if (ranges) return ranges
      const uids = await client.search(terms, { uid: true })
      if (!Array.isArray(uids)) throw connection.refused('search')
      return rangesOf(uids)
    }, connection.open)
  }

  /**
   * RFC 4731. The answer stays a sequence set: a hundred thousand UIDs are a few bytes. COUNT must come back even when it is zero, and has
   * to agree with ALL; without it an answer that got lost, or came as plain SEARCH, would read as an empty mailbox.
   */
  async #byEsearch(client: ImapFlow, terms: SearchObject): Promise<UidRange[] | undefined> {
    const answer = (await client.search(terms, { uid: true, returnOptions: ['ALL', 'COUNT'] })) as
      | ESearchResult
      | number[]
      | false
    if (answer === false) throw this.#connection.refused('search')
    if (!Array.isArray(answer)) {
      const ranges = answer.all === undefined ? [] : parseSequenceSet(answer.all)
      if (answer.count === countUids(ranges)) return ranges
    }
    this.#esearch = false
    return undefined
  }
}

/** RFC 9051 §6.4.4: `n:*` names the last message even where `n` lies beyond it. */
function startingAt(found: readonly UidRange[], from: number): UidRange[] {
  return found.flatMap(([first, last]) =>
    last < from ? [] : [[Math.max(first, from), last] as const],
  )
}

function searchTerms(query: UidQuery): SearchObject {
  if ('all' in query) return { all: true }
  if ('from' in query) return { uid: `${query.from}:*` }
  if ('since' in query) return { since: query.since }
  const [flag, wanted] = 'flag' in query ? [query.flag, true] : [query.without, false]
  switch (flag.toLowerCase()) {
    case '\\seen':
      return { seen: wanted }
    case '\\answered':
      return { answered: wanted }
    case '\\flagged':
      return { flagged: wanted }
    case '\\deleted':
      return { deleted: wanted }
    case '\\draft':
      return { draft: wanted }
    default:
      if (flag.startsWith('\\'))
        throw new AppError('invalid', `There is no search for the flag ${flag}`)
      return wanted ? { keyword: flag } : { unKeyword: flag }
  }
}
