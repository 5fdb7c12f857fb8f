import type { UidRange } from '../../mail-session.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { commandSets } from './flags.ts'
import { clean } from '../text.ts'

/**
 * EMAILID (RFC 8474 §5.1) or X-GM-MSGID of existing messages in the selected mailbox, by UID, in
 * the order of the server's response.
 */
export async function emailIds(
  connection: ImapConnection,
  uids: readonly UidRange[],
): Promise<Map<number, string>> {
  const { capabilities } = connection.client
  if (!capabilities.has('OBJECTID') && !capabilities.has('X-GM-EXT-1')) return new Map()
  const mailbox = connection.selected
  const emailIdsByUid = new Map<number, string>()
  for (const set of commandSets(uids))
    await connection.call(async (client) => {
      // The FETCH query for EMAILID needs no further item, because imapflow requests EMAILID in
      // every FETCH.
      for await (const { uid, emailId } of client.fetch(set, { uid: true }, { uid: true }))
        if (emailId) emailIdsByUid.set(uid, clean(emailId))
    }, mailbox)
  return emailIdsByUid
}
