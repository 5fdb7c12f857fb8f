import type { FetchedMessage, FetchOptions, UidRange } from '../../mail-session.ts'
import { batchesOf } from '../../uid-ranges.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { batchUidsWithHeaders, MessageFetch } from './message-fetch.ts'

const batchUids = 500
/** Maximum messages of a list page that is fetched by sequence numbers. */
const maxSequenceNumbers = 1_000

/**
 * Yields fetched messages by batch. The IMAP connection is free while the caller handles a batch.
 */
export async function* fetchMessages(
  connection: ImapConnection,
  uids: readonly UidRange[],
  options: FetchOptions = {},
): AsyncGenerator<FetchedMessage> {
  const fetch = new MessageFetch(connection, options)
  const { headers } = options
  for (const batch of batchesOf(uids, headers ? batchUidsWithHeaders : batchUids))
    yield* await fetch.batch(batch)
}

/** Fetches messages by sequence numbers, with one FETCH if the server can describe them all. */
export async function fetchBySequence(
  connection: ImapConnection,
  first: number,
  last: number,
): Promise<FetchedMessage[]> {
  return last < first
    ? []
    : new MessageFetch(connection, {}).bySequence(
        first,
        Math.min(last, first + maxSequenceNumbers - 1),
      )
}
