import type { ImapFlowError } from 'imapflow'
import type { MailboxStatus } from '../../mail-session.ts'
import type { ImapConnection } from '../connection/connection.ts'
import {
  counterNames,
  countersOf,
  requireUidValidity,
  toStatus,
  updateMessageCount,
} from '../connection/counters.ts'
import { mailboxNotFound } from '../connection/errors.ts'
import { normalizePath } from '../imapflow-internals.ts'
import type { StatusItems } from '../tokens.ts'

/**
 * Counters of a mailbox. Unlike imapflow's `status`, ignores unsolicited STATUS responses of other
 * mailboxes.
 */
export async function status(
  connection: ImapConnection,
  mailboxPath: string,
): Promise<MailboxStatus> {
  const { wire } = connection
  return await connection.call(async (client) => {
    const path = normalizePath(client, mailboxPath)
    let ownItems: StatusItems | undefined
    const onStatus = (of: string, items: StatusItems) => {
      if (of === path) ownItems = items
      else wire.onStatus(of, items)
    }
    try {
      await wire.status(path, counterNames(client), onStatus)
    } catch (error) {
      if (await isMissing(connection, path, error as ImapFlowError)) throw mailboxNotFound(error)
      throw error
    }
    const counters = countersOf(ownItems)
    if (counters.messages !== undefined) updateMessageCount(client, path, counters.messages)
    return toStatus(path, counters, requireUidValidity(counters.uidValidity))
  })
}

/**
 * True if a LIST response confirms that the mailbox is missing. A NO response to STATUS may have
 * any cause.
 */
async function isMissing(
  { client, wire }: ImapConnection,
  path: string,
  { responseStatus, code }: ImapFlowError,
): Promise<boolean> {
  if (responseStatus !== 'NO' || code === 'ETHROTTLE' || !client.usable) return false
  try {
    return (await wire.findListed(path)) === undefined
  } catch {
    return false
  }
}
