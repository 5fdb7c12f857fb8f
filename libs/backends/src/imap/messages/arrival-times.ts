import type { MessageArrival, UidRange } from '../../mail-session.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { fetchRows } from './fetch-rows.ts'

/**
 * FETCH query for arrival times. Requests the size as well, because a response is complete only if
 * it has the size, see `fetchRows`.
 */
const query = { uid: true, size: true, internalDate: true } as const

/** Fetches the arrival times of messages. An unreadable time is an invalid date. */
export async function fetchArrivalTimes(
  connection: ImapConnection,
  uids: readonly UidRange[],
): Promise<MessageArrival[]> {
  if (uids.length === 0) return []
  const options = { mailbox: connection.selected, query, onSent: () => undefined }
  const rows = await fetchRows(connection, uids, options)
  return [...rows.values()]
    .map(({ uid, internalDate }) => ({ uid, internalDate: new Date(internalDate ?? NaN) }))
    .sort((one, other) => one.uid - other.uid)
}
