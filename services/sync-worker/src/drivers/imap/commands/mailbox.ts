import { type AccountState, shownState } from '@posthorn/contracts/schemas/account-state'
import type { MailSession, SelectedMailboxSummary } from '@posthorn/backends'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { decodeMessageId } from '@posthorn/message-id'
import type { ImapAccountSession } from '../connections/imap-account-session.ts'
import { hasMailboxes } from '../../../store/accounts.ts'
import {
  findMailbox,
  findMailboxByNumber,
  findMailboxByUse,
  isSelectable,
  type MailboxRow,
} from '../../../store/mailboxes.ts'

/** Finds a selectable mailbox by its path, or by a special use such as `\Sent`. */
export async function findSelectable(
  db: Db,
  account: string,
  path: string,
): Promise<MailboxRow | undefined> {
  const row =
    (await findMailbox(db, account, path)) ??
    (path.toUpperCase() === 'INBOX' ? await findMailboxByUse(db, account, '\\Inbox') : undefined) ??
    (isBelowInbox(path) ? await findMailbox(db, account, `INBOX${path.slice(5)}`) : undefined) ??
    (path.startsWith('\\') ? await findMailboxByUse(db, account, path) : undefined)
  return row && isSelectable(row) ? row : undefined
}

/**
 * Finds a selectable mailbox by its path or special use.
 *
 * @throws AppError `not-found` `FolderNotFound` if no such mailbox exists; `unavailable` while the
 *   first sync pass of the account has not stored the list of mailboxes yet
 */
export async function getMailbox(db: Db, account: string, path: string): Promise<MailboxRow> {
  const row = await findSelectable(db, account, path)
  if (row) return row
  throw (await hasMailboxes(db, account)) ? mailboxNotFound() : indexingError('init')
}

/**
 * True if a path is below INBOX. INBOX is case-insensitive (RFC 3501 §5.1), also in the paths of
 * its children.
 */
function isBelowInbox(path: string): boolean {
  return /^inbox[^\p{L}\p{N}]/iu.test(path)
}

/**
 * Finds the mailbox that a message id names, and the UID in the id.
 *
 * @throws AppError `not-found` `MessageNotFound` if a new UIDVALIDITY of the mailbox made the id
 *   invalid; `unavailable` while the list of mailboxes is not stored yet
 */
export async function locateMessage(
  db: Db,
  account: string,
  id: string,
): Promise<{ row: MailboxRow; uid: number }> {
  const { mailbox, uid } = decodeMessageId(id)
  return { row: await getMailboxByNumber(db, account, mailbox), uid }
}

/**
 * Finds a mailbox by the number in message ids.
 *
 * @throws AppError `not-found` `MessageNotFound` if no mailbox has the number; `unavailable` while
 *   the first sync pass of the account has not stored the list of mailboxes yet
 */
export async function getMailboxByNumber(
  db: Db,
  account: string,
  number: number,
): Promise<MailboxRow> {
  const row = await findMailboxByNumber(db, account, number)
  if (row) return row
  throw (await hasMailboxes(db, account)) ? messageNotFound() : indexingError('init')
}

/** Mailbox that contains a message, and the mode in which the mailbox is selected. */
interface MessageMailbox {
  row: MailboxRow
  readOnly: boolean
}

/**
 * Selects the mailbox of a message and reads the message. If the message is not found, selects the
 * mailbox again and reads once more, because the server may not have announced the message on this
 * connection.
 *
 * @throws AppError `not-found` `MessageNotFound`, also if the UIDVALIDITY has changed
 */
export async function readInMailbox<T>(
  mail: MailSession,
  { row, readOnly }: MessageMailbox,
  read: () => Promise<T>,
): Promise<T> {
  const select = async (again: boolean) => {
    const options = { readOnly, again, notFound: messageNotFound }
    const { uidValidity } = await selectRow(mail, row, options)
    if (row.uidValidity !== String(uidValidity)) throw messageNotFound()
  }
  await select(false)
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'MessageNotFound') throw error
    await select(true)
    return read()
  }
}

/**
 * Selects a mailbox to list its messages. If the mailbox is selected already, NOOP updates its
 * counters.
 */
export async function selectForListing(
  mail: MailSession,
  row: MailboxRow,
  { readOnly = true, again = false }: { readOnly?: boolean; again?: boolean } = {},
): Promise<SelectedMailboxSummary> {
  return selectRow(mail, row, { readOnly, fresh: true, again, notFound: mailboxNotFound })
}

/**
 * Properties of the account session that are needed to select a mailbox and return its message ids.
 */
export type IndexingSession = Pick<
  ImapAccountSession,
  'messageCounts' | 'requestReselect' | 'state' | 'storeUidValidity'
>

/**
 * Selects a mailbox whose message ids will be returned to the client. Selects the mailbox again if
 * this connection shows fewer messages than the last sync, so that no announced message is missing.
 * Message ids are valid only for the stored UIDVALIDITY. For a mailbox that is not synced, stores
 * the UIDVALIDITY here.
 *
 * @throws AppError `unavailable` if the UIDVALIDITY differs from the stored UIDVALIDITY
 */
export async function selectIndexed(
  mail: MailSession,
  row: MailboxRow,
  { session, readOnly = true }: { session: IndexingSession; readOnly?: boolean },
): Promise<SelectedMailboxSummary> {
  const counted = await selectForListing(mail, row, { readOnly })
  const isBehind = counted.messages < (session.messageCounts.get(row.id) ?? 0)
  const selected = isBehind ? await selectForListing(mail, row, { readOnly, again: true }) : counted
  if (row.uidValidity === String(selected.uidValidity)) return selected
  const stored = await session.storeUidValidity(mail, row, selected.uidValidity)
  if (stored?.number === row.number) return selected
  session.requestReselect(row.id)
  throw indexingError(session.state ?? 'init')
}

/** Requests a sync that reads the list of mailboxes, because a listed mailbox does not exist. */
export function requestList({ context }: Pick<ImapAccountSession, 'context'>): void {
  context.sync.request({ all: true })
}

const indexing = 'The mailboxes of the account are being indexed, retry shortly'

export function indexingError(state: AccountState): AppError {
  return new AppError('unavailable', indexing, {
    code: 'IMAPUnavailable',
    extras: { state: shownState(state) },
  })
}

export function isIndexingError(error: unknown): boolean {
  return error instanceof AppError && error.message === indexing
}

interface SelectOptions {
  notFound: () => AppError
  readOnly: boolean
  fresh?: boolean
  /** True to send SELECT even if the mailbox is selected already. */
  again?: boolean
}

async function selectRow(
  mail: MailSession,
  { path, uidValidity }: MailboxRow,
  { notFound, readOnly, fresh = false, again = false }: SelectOptions,
): Promise<SelectedMailboxSummary> {
  try {
    if (again) return await mail.select(path, { readOnly })
    const selected = await mail.ensureSelected(path, { readOnly, fresh })
    // If a selected mailbox was deleted and created again, only another SELECT shows the new
    // UIDVALIDITY.
    return String(selected.uidValidity) === uidValidity
      ? selected
      : await mail.select(path, { readOnly })
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not-found') throw notFound()
    throw error
  }
}

export function mailboxNotFound(): AppError {
  return new AppError('not-found', 'The folder does not exist', { code: 'FolderNotFound' })
}

export function messageNotFound(): AppError {
  return new AppError('not-found', 'The message does not exist', { code: 'MessageNotFound' })
}
