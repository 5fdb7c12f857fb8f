import type { MessageFlags, UidRange } from '../mail-session.ts'
import type { ImapConnection } from './connection.ts'
import { commandSets } from './flags.ts'
import { toMessageFlags } from './message.ts'

/** Flags and Gmail labels of existing messages in the selected mailbox. */
export async function readFlags(
  connection: ImapConnection,
  uids: readonly UidRange[],
): Promise<MessageFlags[]> {
  const mailbox = connection.selected
  const read: MessageFlags[] = []
  const query = { uid: true, flags: true, labels: true }
  for (const set of commandSets(uids))
    await connection.call(async (client) => {
      for await (const row of client.fetch(set, query, { uid: true }))
        if (row.uid && row.flags) read.push(toMessageFlags(row))
    }, mailbox)
  return read
}
