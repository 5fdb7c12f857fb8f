import { AppError } from '@posthorn/errors'
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
 * Counters of a mailbox by STATUS. Unlike imapflow's `status`, ignores unsolicited STATUS responses
 * of other mailboxes.
 */
export async function status(
  connection: ImapConnection,
  mailboxPath: string,
): Promise<MailboxStatus> {
  return await connection.call(async (client) => {
    const path = normalizePath(client, mailboxPath)
    let ownItems: StatusItems | undefined
    try {
      ownItems = await readItems(connection, path)
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
 * Requests the number of messages of a mailbox by STATUS. Used if the response to SELECT has no
 * EXISTS, which does not mean that the mailbox is empty.
 *
 * @throws AppError `rejected` if the server does not report the number
 */
export async function countMessages(
  connection: ImapConnection,
  mailboxPath: string,
): Promise<number> {
  const path = normalizePath(connection.client, mailboxPath)
  const { messages } = countersOf(await readItems(connection, path))
  if (messages !== undefined) return messages
  throw new AppError('rejected', `The mail server does not count the messages of ${mailboxPath}`)
}

/**
 * Requests the STATUS items of a mailbox. STATUS responses for other mailboxes are handled as
 * notifications.
 */
async function readItems(
  { client, wire }: ImapConnection,
  path: string,
): Promise<StatusItems | undefined> {
  let ownItems: StatusItems | undefined
  await wire.status(path, counterNames(client), (of, items) => {
    if (of === path) ownItems = items
    else wire.onStatus(of, items)
  })
  return ownItems
}

/**
 * True if LIST confirms that the mailbox is missing. A NO response to STATUS alone proves nothing,
 * because it may have any cause.
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
