import type { OpenedMailbox } from '../backend.ts'
import type { ImapConnection } from './connection.ts'
import { select } from './mailboxes.ts'

/** Opens a mailbox, unless it is open already. */
export async function open(
  connection: ImapConnection,
  path: string,
  { readOnly = false, fresh = false }: { readOnly?: boolean; fresh?: boolean },
): Promise<OpenedMailbox> {
  const found = opened(connection, path, readOnly)
  if (found && !fresh) return found
  const current =
    found &&
    (await connection
      .call((client) => connection.noop(client))
      .then(() => opened(connection, path, readOnly)))
  return current ?? select(connection, path, readOnly)
}

/** The mailbox, if it is the one that is open and may be used as asked. */
function opened(
  { client, current }: ImapConnection,
  path: string,
  readOnly: boolean,
): OpenedMailbox | undefined {
  const { mailbox } = client
  if (!client.usable || !mailbox || current?.path !== path) return undefined
  if (mailbox.readOnly && !readOnly) return undefined
  return { path, messages: mailbox.exists, uidValidity: current.uidValidity }
}
