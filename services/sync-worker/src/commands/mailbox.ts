import type { MailSession } from '@posthorn/backends'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { decodeMessageId } from '@posthorn/message-id'
import {
  findMailbox,
  findMailboxByNumber,
  findMailboxFor,
  type MailboxRow,
} from '../store/mailboxes.ts'
import { isSelectable } from '../sync/listing.ts'

/** The mailbox of a path, or of a special use such as `\Sent`. */
export async function getMailbox(db: Db, account: string, path: string): Promise<MailboxRow> {
  const row =
    (await findMailbox(db, account, path)) ??
    (path.toUpperCase() === 'INBOX' ? await findMailboxFor(db, account, '\\Inbox') : undefined) ??
    (path.startsWith('\\') ? await findMailboxFor(db, account, path) : undefined)
  if (!row || !isSelectable(row)) throw folderNotFound()
  return row
}

/** Where the message of an id is. An id of before a reset leads nowhere. */
export async function locateMessage(
  db: Db,
  account: string,
  id: string,
): Promise<{ row: MailboxRow; uid: number }> {
  const { mailbox, uid } = decodeMessageId(id)
  const row = await findMailboxByNumber(db, account, mailbox)
  if (!row) throw messageNotFound()
  return { row, uid }
}

/** Opens the mailbox of a message, which is gone where the mailbox has become another one. */
export async function openFor(
  mail: MailSession,
  row: MailboxRow,
  { readOnly }: { readOnly: boolean },
): Promise<void> {
  const { uidValidity } = await selected(mail, row, { readOnly, gone: messageNotFound })
  if (row.uidValidity !== String(uidValidity)) throw messageNotFound()
}

/** Opens a mailbox to list it. */
export async function openToList(mail: MailSession, row: MailboxRow) {
  return selected(mail, row, { readOnly: true, gone: folderNotFound })
}

async function selected(
  mail: MailSession,
  { path }: MailboxRow,
  { readOnly, gone }: { readOnly: boolean; gone: () => AppError },
) {
  try {
    return await mail.select(path, { readOnly })
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not-found') throw gone()
    throw error
  }
}

export function folderNotFound(): AppError {
  return new AppError('not-found', 'The folder does not exist', { code: 'FolderNotFound' })
}

export function messageNotFound(): AppError {
  return new AppError('not-found', 'The message does not exist', { code: 'MessageNotFound' })
}
