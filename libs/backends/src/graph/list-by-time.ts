import { createHash } from 'node:crypto'
import { MailApiError } from '../mail-api/errors.ts'
import type { MessageQuery } from '../mail-api/reads.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import { receivedAt } from './message-fields.ts'
import { translateFilter, utcSeconds } from './search-filter.ts'

/** Point at which a list of Graph messages, ordered by time, is continued with a new request. */
export interface Resumed {
  /**
   * Upper bound (exclusive) of the times of Graph messages that are still to be listed: 1 s after
   * the last listed message.
   */
  before: string
  /**
   * Hashes of the ids of Graph messages that were listed already and have the time of the last
   * listed message.
   */
  seen: Set<string>
  /**
   * Number of Graph messages with a time below `before` that were listed already and are skipped.
   */
  skip: number
  /** Page token of a list of Graph messages, without the number of messages to skip. */
  token: string
}

/**
 * Decodes a page token that continues a list of Graph messages at a time. Undefined for other page
 * tokens.
 */
export function resumedAt(pageToken: string | undefined): Resumed | undefined {
  return pageToken?.startsWith('t') ? decodeTime(pageToken) : undefined
}

/** Graph messages of a page that were not listed on the page before. */
export function unseenOf(listed: GraphMessage[], resumed: Resumed | undefined): GraphMessage[] {
  return listed.filter(({ id }) => !resumed?.seen.has(shortHash(id ?? '')))
}

/**
 * True if all Graph messages of a page have the same time. A list by time cannot be continued
 * between messages of the same time.
 */
export function isOneTime(listed: readonly GraphMessage[]): boolean {
  const [first] = listed
  const last = listed.at(-1)
  return !first || !last || receivedAt(first).getTime() === receivedAt(last).getTime()
}

/**
 * Page token that continues a list of Graph messages by time. Also used for a full page to which
 * Graph sent no link: with a filter, Graph may omit the link although there are more messages.
 * Contains the time of the last message, and hashes of the listed messages with that time.
 */
export function encodeTime(listed: readonly GraphMessage[]): string | undefined {
  const last = listed.at(-1)
  if (!last) return undefined
  const time = receivedAt(last).getTime()
  const same = listed.filter((each) => receivedAt(each).getTime() === time)
  const hashes = same.map(({ id = '' }) => shortHash(id))
  // If all Graph messages of a page have the same time, the next page starts 1 s earlier, because a
  // list by time cannot be continued between messages of the same time.
  return same.length === listed.length && same.length > 1
    ? `t${time - 1_000}`
    : ['t' + time, ...hashes].join('.')
}

function decodeTime(pageToken: string): Resumed {
  const [token = '', position = '0'] = pageToken.split('~')
  const [time = '', ...hashes] = token.slice(1).split('.')
  const date = new Date(Number(time))
  if (Number.isNaN(date.getTime()) || !/^\d{1,7}$/.test(position))
    throw new MailApiError('stale-page', 'The page token is invalid')
  const before = utcSeconds(new Date(date.getTime() + 1_000))
  return { before, seen: new Set(hashes), skip: Number(position), token }
}

/**
 * Page token that continues a list of Graph messages at the same time, after `skip` messages. Used
 * for pages that do not end at an earlier time.
 */
export function encodePosition({ token }: Resumed, skip: number): string {
  return `${token}~${skip}`
}

/** Value of `$filter` for the Graph messages that are still to be listed. */
export function resumedFilter({ search = {} }: MessageQuery, { before }: Resumed): string {
  const limit = new Date(before)
  const earlier = search.before && search.before < limit ? search.before : limit
  return translateFilter({ ...search, before: earlier })?.filter ?? ''
}

function shortHash(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 7)
}
