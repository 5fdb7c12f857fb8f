import type { MailSession, OpenedMailbox } from '@posthorn/backends'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { decodeMessageId } from '@posthorn/message-id'
import {
  findMailbox,
  findMailboxByNumber,
  findMailboxByUse,
  type MailboxRow,
} from '../store/mailboxes.ts'
import type { AccountSession } from '../sessions/account-session.ts'
import { isSelectable } from '../sync/mailbox-list/listing.ts'

/** The mailbox of a path, or of a special use such as `\Sent`. */
export async function getMailbox(db: Db, account: string, path: string): Promise<MailboxRow> {
  const row =
    (await findMailbox(db, account, path)) ??
    (path.toUpperCase() === 'INBOX' ? await findMailboxByUse(db, account, '\\Inbox') : undefined) ??
    (isBelowInbox(path) ? await findMailbox(db, account, `INBOX${path.slice(5)}`) : undefined) ??
    (path.startsWith('\\') ? await findMailboxByUse(db, account, path) : undefined)
  if (!row || !isSelectable(row)) throw mailboxNotFound()
  return row
}

/** The name of the Inbox is the same in upper and lower case (RFC 3501 §5.1), so in the paths of what is below it. */
function isBelowInbox(path: string): boolean {
  return /^inbox[^\p{L}\p{N}]/iu.test(path)
}

/** Where the message of an id is. An id of before a reset leads nowhere. */
export async function locateMessage(
  db: Db,
  account: string,
  id: string,
): Promise<{ row: MailboxRow; uid: number }> {
  const { mailbox, uid } = decodeMessageId(id)
  return { row: await getMailboxByNumber(db, account, mailbox), uid }
}

/** The mailbox of an id's number. */
export async function getMailboxByNumber(
  db: Db,
  account: string,
  number: number,
): Promise<MailboxRow> {
  const row = await findMailboxByNumber(db, account, number)
  if (!row) throw messageNotFound()
  return row
}

/** Opens the mailbox of a message, which is gone where the mailbox has become another one. */
export async function selectMailboxOf(
  mail: MailSession,
  row: MailboxRow,
  { readOnly }: { readOnly: boolean },
): Promise<void> {
  const { uidValidity } = await selectRow(mail, row, { readOnly, gone: messageNotFound })
  if (row.uidValidity !== String(uidValidity)) throw messageNotFound()
}

/** Opens a mailbox to list it, with what came and went until now. */
export async function selectForListing(
  mail: MailSession,
  row: MailboxRow,
  { readOnly = true }: { readOnly?: boolean } = {},
): Promise<OpenedMailbox> {
  return selectRow(mail, row, { readOnly, fresh: true, gone: mailboxNotFound })
}

/** What opening a mailbox needs of the account's session. */
export type IndexingSession = Pick<AccountSession, 'requestReselect' | 'state' | 'storeUidValidity'>

/**
 * Opens a mailbox to tell ids of what is in it. Ids made of a UIDVALIDITY that the sync has not seen yet would be void in a moment: the
 * asker is to come again. Of a mailbox that no sync looks at they are made here.
 *
 * @throws AppError `unavailable` where the mailbox is another one than that whose ids are known
 */
export async function selectIndexed(
  mail: MailSession,
  row: MailboxRow,
  { session, readOnly = true }: { session: IndexingSession; readOnly?: boolean },
): Promise<OpenedMailbox> {
  const found = await selectForListing(mail, row, { readOnly })
  if (row.uidValidity === String(found.uidValidity)) return found
  const learnt = await session.storeUidValidity(mail, row, found.uidValidity)
  if (learnt?.number === row.number) return found
  session.requestReselect(row.id)
  throw indexingError(session.state ?? 'init')
}

const indexing = 'The folder is being indexed'

export function indexingError(state: string): AppError {
  return new AppError('unavailable', indexing, { code: 'IMAPUnavailable', extras: { state } })
}

export function isIndexingError(error: AppError): boolean {
  return error.message === indexing
}

/** Reads a message; once more where the server has not told this connection of it yet. */
export async function retryAfterNoop<T>(mail: MailSession, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'MessageNotFound') throw error
    await mail.ping()
    return read()
  }
}

async function selectRow(
  mail: MailSession,
  { path, uidValidity }: MailboxRow,
  { gone, readOnly, fresh = false }: { gone: () => AppError; readOnly: boolean; fresh?: boolean },
): Promise<OpenedMailbox> {
  try {
    const found = await mail.open(path, { readOnly, fresh })
    // One that was deleted and made anew while it was open here: only a SELECT tells.
    return String(found.uidValidity) === uidValidity ? found : await mail.select(path, { readOnly })
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not-found') throw gone()
    throw error
  }
}

export function mailboxNotFound(): AppError {
  return new AppError('not-found', 'The folder does not exist', { code: 'FolderNotFound' })
}

export function messageNotFound(): AppError {
  return new AppError('not-found', 'The message does not exist', { code: 'MessageNotFound' })
}
