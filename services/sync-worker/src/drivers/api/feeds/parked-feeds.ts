import { isMailApiError, type Feed, type MailApiError } from '@posthorn/backends/mail-api'
import { backoff } from '@posthorn/flow'

/** Delays until a refused (parked) folder is read again. The delay doubles with each refusal. */
const minParkedMs = 60_000
const maxParkedMs = 6 * 3_600_000

/** Error of the provider that refuses to read the feed (list of changes) of a folder. */
export interface FeedRefusal {
  readonly feed: Feed
  readonly error: MailApiError
  /** False if the previous refusal of the feed (list of changes) had the same error text. */
  readonly isNew: boolean
}

interface Parked extends FeedRefusal {
  readonly refusals: number
  /**
   * Time from which the refused feed (list of changes) may be read again, in epoch milliseconds.
   */
  readonly until: number
}

/**
 * Parked feeds: feeds of folders that the provider refuses to read, while it serves other folders
 * of the account. Sync passes leave out a parked feed until its delay ends, so that other folders
 * are synced.
 */
export class ParkedFeeds {
  readonly #parked = new Map<string, Parked>()
  /** Ids of feeds (lists of changes) whose refusal made a sync pass fail; see `suspect`. */
  readonly #suspects = new Set<string>()
  readonly #now: () => Date
  readonly #delayMs = backoff({ baseMs: minParkedMs, maxMs: maxParkedMs })

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Latest refusal of a feed (list of changes), until the feed is read successfully. */
  get latest(): FeedRefusal | undefined {
    return [...this.#parked.values()].at(-1)
  }

  /** Earliest end of the delay of a parked folder. Undefined if no delay of a folder is running. */
  get nextTryAt(): Date | undefined {
    const now = this.#now().getTime()
    const waiting = [...this.#parked.values()].filter(({ until }) => until > now)
    return waiting.length > 0 ? new Date(Math.min(...waiting.map(({ until }) => until))) : undefined
  }

  /** Parked (refused) folders that may be read again, because their delay has ended. */
  get due(): Feed[] {
    return [...this.#parked.values()].flatMap(({ feed }) => (this.mayRead(feed) ? feed : []))
  }

  /**
   * Records feeds (lists of changes) that were refused in a failed sync pass that could read no
   * folder. Such feeds are not parked, because the mailbox may be unavailable as a whole.
   */
  suspect(feeds: Iterable<Feed>): void {
    for (const { id } of feeds) this.#suspects.add(id)
  }

  /**
   * Sorts feeds (lists of changes) for a sync pass: feeds whose refusal made an earlier pass fail
   * come last.
   */
  inOrder<F extends { readonly feed: Feed }>(feeds: readonly F[]): F[] {
    const rank = ({ feed }: F) => Number(this.#suspects.has(feed.id))
    return feeds.toSorted((one, other) => rank(one) - rank(other))
  }

  mayRead({ id }: Feed): boolean {
    return this.#now().getTime() >= (this.#parked.get(id)?.until ?? 0)
  }

  park(feed: Feed, error: MailApiError): FeedRefusal {
    const before = this.#parked.get(feed.id)
    const refusals = (before?.refusals ?? 0) + 1
    const until = this.#now().getTime() + this.#delayMs(refusals)
    const isNew = before?.error.message !== error.message
    const parked = { feed, error, isNew, refusals, until }
    this.#parked.delete(feed.id)
    this.#parked.set(feed.id, parked)
    return parked
  }

  /** Ends the delays of all parked (refused) feeds, so that the next sync pass reads the feeds. */
  endDelays(): void {
    for (const [id, parked] of this.#parked) this.#parked.set(id, { ...parked, until: 0 })
  }

  /** Removes the recorded refusals of a feed (list of changes) that was read. */
  clear({ id }: Feed): void {
    this.#parked.delete(id)
    this.#suspects.delete(id)
  }

  /**
   * Drops recorded refusals of feeds (lists of changes) that are not followed any more, such as of
   * deleted folders.
   */
  retain(feeds: readonly Feed[]): void {
    const ids = new Set(feeds.map(({ id }) => id))
    for (const id of this.#parked.keys()) if (!ids.has(id)) this.#parked.delete(id)
    for (const id of this.#suspects) if (!ids.has(id)) this.#suspects.delete(id)
  }
}

/** Failure to list the changes or messages of one folder. Other folders may be readable. */
export class FolderFailure extends Error {
  override name = 'FolderFailure'
  readonly failure: MailApiError

  constructor(failure: MailApiError) {
    super(failure.message, { cause: failure })
    this.failure = failure
  }
}

/**
 * Awaits a list of the changes or messages of a feed. Only failures of such lists may concern one
 * folder; failures of other requests concern the whole mailbox.
 *
 * @throws FolderFailure if the provider responded, and neither the token nor the rate of requests
 *   is the reason
 */
export async function listedBy<T>({ folderId }: Feed, list: Promise<T>): Promise<T> {
  try {
    return await list
  } catch (error) {
    if (folderId === undefined || !isOfFolder(error)) throw error
    throw new FolderFailure(error)
  }
}

function isOfFolder(error: unknown): error is MailApiError {
  if (!isMailApiError(error)) return false
  const { failure, status = 0, incomplete } = error
  if (failure === 'unavailable') return status >= 400 || incomplete
  return failure === 'refused' || failure === 'access-denied' || failure === 'unreadable-id'
}
