import type { MailSession } from '@posthorn/backends'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { MailboxRow } from '../store/mailboxes.ts'
import { getMailbox, selectForListing } from './mailbox.ts'

/** How far back a message is looked for: servers find the recent ones without reading all the others. */
const lookBackMs = 3 * 24 * 60 * 60_000

/**
 * The folder of sent messages: the one that was asked for, else the account's own.
 *
 * @throws AppError `not-found` `FolderNotFound`
 */
export async function getSentMailbox(
  db: Db,
  account: string,
  requestedPath: string | undefined,
): Promise<{ row: MailboxRow; instead: boolean }> {
  if (requestedPath !== undefined) {
    try {
      return { row: await getMailbox(db, account, requestedPath), instead: false }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'FolderNotFound') throw error
    }
  }
  return { row: await getMailbox(db, account, '\\Sent'), instead: requestedPath !== undefined }
}

/** Whether a message of the last days is in the folder, by its Message-ID. Opens the folder. */
export async function containsMessage(
  mail: MailSession,
  row: MailboxRow,
  messageId: string,
): Promise<boolean> {
  await selectForListing(mail, row)
  const since = new Date(Date.now() - lookBackMs)
  const found = await mail.search({ since, header: { 'Message-ID': messageId } })
  return found.length > 0
}
