import { AppError } from '@posthorn/errors'
import type { SearchTerms, UidQuery, UidRange } from '../../mail-session.ts'
import { countUids, maxUid, normaliseRanges, parseSequenceSet, rangesOf } from '../../uid-ranges.ts'
import { capabilitiesOf, hasCondstore } from '../connection/capabilities.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { isRejection } from '../connection/errors.ts'
import { encodePath } from '../imapflow-internals.ts'
import { arrivalKeys, needsCharset, type Searchable, searchKeys } from './search-keys.ts'
import { type Line, textOf, type Token, words } from '../tokens.ts'

/** Maximum number of UIDs in a plain SEARCH response (without ESEARCH). */
const maxResults = 2 ** 24

/**
 * Searches a mailbox for UIDs, with ESEARCH as long as the IMAP server's ESEARCH responses are
 * consistent.
 */
export class UidSearch {
  readonly #connection: ImapConnection
  #esearch: boolean
  #charset = true

  constructor(connection: ImapConnection) {
    this.#connection = connection
    this.#esearch = connection.client.capabilities.has('ESEARCH')
  }

  async run(query: UidQuery): Promise<UidRange[]> {
    const uids = await this.#find(queryKeys(query, this.#searchable()))
    return 'from' in query ? startingAt(uids, query.from) : uids
  }

  /**
   * Runs the IMAP searches for the search terms. A search fails if another mailbox is selected in
   * between.
   */
  async search(terms: SearchTerms): Promise<UidRange[]> {
    const { selected } = this.#connection
    const uids: UidRange[] = []
    for (const keys of searchKeys(terms, this.#searchable()))
      uids.push(...(await this.#withCharset(keys, selected)))
    return normaliseRanges(uids)
  }

  /**
   * Sends a search, with CHARSET if the text is not ASCII (RFC 9051 §6.4.4). If the server rejects
   * CHARSET, sends the search without CHARSET, because some servers detect UTF-8.
   */
  async #withCharset(keys: Token[], mailbox: ImapConnection['selected']): Promise<UidRange[]> {
    const named = needsCharset(keys) && !this.#connection.client.enabled.has('UTF8=ACCEPT')
    if (!named || !this.#charset) return await this.#find(keys, mailbox)
    try {
      return await this.#find([...words('CHARSET', 'UTF-8'), ...keys], mailbox)
    } catch (error) {
      if (!rejectsCharset(error)) throw error
      this.#charset = false
      return await this.#find(keys, mailbox)
    }
  }

  async #find(
    keys: readonly Token[],
    mailbox: ImapConnection['selected'] = this.#connection.selected,
  ): Promise<UidRange[]> {
    const connection = this.#connection
    return await connection.call(async () => {
      const ranges = this.#esearch ? await this.#byEsearch(keys) : undefined
      return ranges ?? rangesOf(await this.#bySearch(keys))
    }, mailbox)
  }

  /**
   * Searches by ESEARCH (RFC 4731), whose result is a sequence set: 100,000 UIDs in a few bytes.
   * Undefined unless COUNT is present and agrees with ALL: a lost response or a plain SEARCH
   * response would look like an empty mailbox.
   */
  async #byEsearch(keys: readonly Token[]): Promise<UidRange[] | undefined> {
    let all: string | undefined
    let count: number | undefined
    const returned = [...words('RETURN'), words('ALL', 'COUNT')]
    await this.#connection.wire.run('UID SEARCH', [...returned, ...keys], {
      ESEARCH: async (line) => {
        const items = esearchItems(line)
        all = items.get('ALL')
        count = Number(items.get('COUNT'))
      },
    })
    const ranges = all === undefined ? [] : parseSequenceSet(all)
    if (count === countUids(ranges)) return ranges
    this.#esearch = false
    return undefined
  }

  async #bySearch(keys: readonly Token[]): Promise<number[]> {
    let matches: number[] = []
    let total = 0
    await this.#connection.wire.run('UID SEARCH', [...keys], {
      SEARCH: async (line) => {
        const uids = uidsOf(line)
        total += uids.length
        if (total <= maxResults) matches = matches.length === 0 ? uids : matches.concat(uids)
      },
    })
    if (total > maxResults)
      throw new AppError('unreachable', 'The mail server returned too many search results')
    return matches
  }

  #searchable(): Searchable {
    const { client } = this.#connection
    const { objectId, gmail } = capabilitiesOf(client)
    return {
      modseq: hasCondstore(client) && !(client.mailbox && client.mailbox.noModseq),
      objectId,
      gmail,
      within: client.capabilities.has('WITHIN'),
      encodeLabel: (label) => encodePath(client, label),
      now: new Date(),
    }
  }
}

/**
 * Removes UIDs below `from` from a search result. The set `n:*` matches the last message even if
 * its UID is below `n` (RFC 9051 §6.4.4).
 */
function startingAt(uids: readonly UidRange[], from: number): UidRange[] {
  return uids.flatMap(([first, last]) =>
    last < from ? [] : [[Math.max(first, from), last] as const],
  )
}

function queryKeys(query: UidQuery, searchable: Searchable): Token[] {
  if ('all' in query) return words('ALL')
  if ('from' in query) return [...words('UID'), { type: 'SEQUENCE', value: `${query.from}:*` }]
  // Searches for arrival times use WITHIN (RFC 5032) if possible. Dovecot needs a third of the time
  // for WITHIN, because it compares no days.
  if ('since' in query) return arrivalKeys('since', query.since, searchable)
  const [flag, wanted] = 'flag' in query ? [query.flag, true] : [query.without, false]
  const systemFlag = /^\\(seen|answered|flagged|deleted|draft)$/i.exec(flag)?.[1]
  if (systemFlag) return words(`${wanted ? '' : 'UN'}${systemFlag.toUpperCase()}`)
  if (!/^[^\x00-\x20\x7f-\uffff(){%*"\\\]]+$/.test(flag))
    throw new AppError('invalid', `Invalid flag: ${flag}`)
  return words(wanted ? 'KEYWORD' : 'UNKEYWORD', flag)
}

/**
 * True if a server rejected the CHARSET of a search: by the response code of RFC 9051 §7.1, or by a
 * text from a server without this code.
 */
function rejectsCharset(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  return (
    error.code === 'BADCHARSET' || (isRejection(error) && /char(acter )?set/i.test(error.message))
  )
}

/** Items of an ESEARCH response such as `(TAG "1") UID COUNT 2 ALL 1:2`, by upper-case name. */
function esearchItems({ attributes = [] }: Line): Map<string, string> {
  const items = new Map<string, string>()
  let at = Array.isArray(attributes[0]) ? 1 : 0
  if (textOf(attributes[at])?.toUpperCase() === 'UID') at++
  for (; at + 1 < attributes.length; at += 2) {
    const value = textOf(attributes[at + 1])
    if (value !== undefined) items.set(textOf(attributes[at])?.toUpperCase() ?? '', value)
  }
  return items
}

/**
 * UIDs of a plain SEARCH response. imapflow parses lines of numbers into `numbers`. Other lines
 * contain a mod-sequence (RFC 7162 §3.1.5) or invalid data.
 */
function uidsOf(line: Line & { numbers?: number[] }): number[] {
  const numbers = line.numbers ?? (line.attributes ?? []).map((token) => Number(textOf(token)))
  return numbers.filter((uid) => Number.isInteger(uid) && uid > 0 && uid <= maxUid)
}
