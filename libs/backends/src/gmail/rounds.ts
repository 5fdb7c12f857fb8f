import { defined } from '@posthorn/contracts/defined'
import { isMailApiError } from '../mail-api/errors.ts'
import type { FeedPosition, MessageChange } from '../mail-api/feeds.ts'
import type { GmailLabel } from '../provider-types/gmail.ts'
import { changeOfLabel, type NamedLabel, readLabels } from './labels.ts'
import { readPage } from './lists/listing.ts'
import { type GmailRequests, idPath, maxBatchParts } from './requests.ts'

/**
 * Position in a full round, which lists all messages of a Gmail mailbox: the list of one label, or
 * of the mailbox (an empty id).
 */
export interface RoundCursor {
  /**
   * History id of the Gmail mailbox before the first list of the full round (listing of all
   * messages). Changes after this id are read when the round is complete.
   */
  start: string
  /**
   * Gmail label whose message list is being read. If absent, the first label after `done` comes
   * next.
   */
  label?: string
  page?: string
  /**
   * Last label whose message list has been read completely in this full round (listing of all
   * messages). Message lists are read in the order of the label ids.
   */
  done?: string
  /** Gmail labels that have messages, among the labels after `done` up to the label `counted`. */
  used?: string[]
  counted?: string
}

export interface RoundPage {
  /**
   * Position of the next page of a full round (listing of all messages). Undefined after the last
   * list.
   */
  next: RoundCursor | undefined
  changed: MessageChange[]
  /**
   * Number of damaged entries of a Gmail message list that were passed over. Absent if there was
   * none.
   */
  unreadable?: number
}

/** Ids of the labels of a Gmail mailbox, in ascending order. */
interface LabelIds {
  readonly ids: readonly string[]
  /**
   * Gmail labels that the user created, whose messages are counted before they are listed. Empty if
   * all labels are listed without being counted.
   */
  readonly countable: ReadonlySet<string>
}

/**
 * Minimum number of user labels from which on messages are counted before they are listed: a count
 * costs 1 quota unit, a list 5 units, and most labels of such a mailbox have no messages. With
 * fewer labels, each label is listed: unlike counts, lists include messages in trash and junk
 * exactly.
 */
const minCounted = 100

/**
 * Maximum requests per call that may find no messages. The limit keeps a call of a full round
 * (listing of all messages) to seconds, even with 10,000 labels.
 */
const maxEmpty = 20

/**
 * Reads full rounds of a Gmail mailbox. A full round lists all messages: first the list of the
 * mailbox, then the list of each label.
 */
export class FullRounds {
  readonly #requests: GmailRequests
  /**
   * Labels of the Gmail mailbox whose full round (listing of all messages) is being read. Labels
   * that are created later appear in the history after the start of the round.
   */
  #labels: { start: string; labels: LabelIds } | undefined

  constructor(requests: GmailRequests) {
    this.#requests = requests
  }

  /**
   * Reads one page of a message list of a full round (listing of all messages). Labels without
   * messages are skipped, up to `maxEmpty` requests per call.
   */
  async read(start: RoundCursor, position: FeedPosition, signal: AbortSignal): Promise<RoundPage> {
    let cursor = start
    for (let requests = 0; requests < maxEmpty; requests++) {
      const next = cursor.label === undefined ? await this.#findList(cursor, signal) : cursor
      if (!next) {
        this.#labels = undefined
        return { next, changed: [] }
      }
      cursor = next
      if (next.label === undefined) continue
      const page = await this.#readList({ ...next, label: next.label }, position, signal)
      const { next: following, changed, unreadable } = page
      if (following.page !== undefined || changed.length > 0 || unreadable !== undefined)
        return page
      cursor = following
    }
    return { next: cursor, changed: [] }
  }

  /**
   * Cursor at the next message list of a full round (listing of all messages). Without `label`, the
   * next labels were only counted. Undefined after the last list of the round.
   */
  async #findList(cursor: RoundCursor, signal: AbortSignal): Promise<RoundCursor | undefined> {
    const { start, done = '', used = [], counted = '' } = cursor
    const label = used.find((id) => id > done)
    if (label !== undefined) return { ...cursor, label }
    const { ids, countable } = await this.#readLabels(start, signal)
    const from = done > counted ? done : counted
    const following = ids.filter((id) => id > from).slice(0, maxBatchParts)
    const last = following.at(-1)
    if (last === undefined) return undefined
    if (countable.size === 0) return { start, done, label: following[0] ?? last }
    const empty = await this.#findEmpty(
      following.filter((id) => countable.has(id)),
      signal,
    )
    return { start, done, used: following.filter((id) => !empty.has(id)), counted: last }
  }

  async #readLabels(start: string, signal: AbortSignal): Promise<LabelIds> {
    if (this.#labels?.start !== start)
      this.#labels = { start, labels: toLabelIds(await readLabels(this.#requests, signal)) }
    return this.#labels.labels
  }

  /** Finds labels of a Gmail mailbox without messages. Costs one quota unit per label. */
  async #findEmpty(ids: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const outcomes = await this.#requests.batch<GmailLabel>({
      operation: 'labels.get',
      paths: ids.map((id) => idPath('labels', id, 'folder-missing')),
      fields: 'messagesTotal',
      signal,
    })
    const isEmpty = (at: number) => {
      const outcome = outcomes[at]
      return outcome !== undefined && 'json' in outcome && outcome.json.messagesTotal === 0
    }
    return new Set(ids.filter((_, at) => isEmpty(at)))
  }

  async #readList(
    cursor: RoundCursor & { label: string },
    position: FeedPosition,
    signal: AbortSignal,
  ): Promise<RoundPage & { next: RoundCursor }> {
    const { label, page: pageToken, ...rest } = cursor
    const query = { labelIds: label === '' ? [] : [label], includeSpamTrash: true as const }
    try {
      const page = { skipsDamaged: true, ...defined({ limit: position.limit, pageToken }) }
      const { entries, nextPageToken, unreadable } = await readPage(
        this.#requests,
        { query, page },
        signal,
      )
      const changed = entries.map((entry) => ({ ...entry, ...entryOf(label) }))
      const next =
        nextPageToken === undefined ? { ...rest, done: label } : { ...cursor, page: nextPageToken }
      return { next, changed, ...defined({ unreadable }) }
    } catch (error) {
      const isRefused = isMailApiError(error, 'refused') || isMailApiError(error, 'message-missing')
      if (!isRefused) throw error
      // If Gmail refuses a page token, the token has expired, and the message list of the label is
      // read again from its start. If Gmail refuses the first page, the label was deleted during
      // the full round and is skipped.
      if (pageToken !== undefined) return this.#readList({ ...rest, label }, position, signal)
      if (label !== '') return { next: { ...rest, done: label }, changed: [] }
      throw error
    }
  }
}

function toLabelIds(labels: readonly NamedLabel[]): LabelIds {
  const own = labels.filter(({ isSystem }) => !isSystem).map(({ id }) => id)
  return {
    ids: labels.map(({ id }) => id).sort(),
    countable: new Set(own.length < minCounted ? [] : own),
  }
}

function entryOf(id: string): Partial<MessageChange> {
  if (id === '') return {}
  const { flags, label } = changeOfLabel(id, true)
  return { ...flags, ...(label !== undefined && { addedLabels: [label] }) }
}
