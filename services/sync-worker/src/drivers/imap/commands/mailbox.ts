import { type AccountState, shownState } from '@posthorn/contracts/schemas/account-state'
import type { MailSession, SelectedMailboxSummary } from '@posthorn/backends'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { decodeMessageId } from '@posthorn/message-id'
import type { ImapAccountSession } from '../connections/imap-account-session.ts'
import {
  findMailbox,
  findMailboxByNumber,
  findMailboxByUse,
  isSelectable,
  type MailboxRow,
} from '../../../store/mailboxes.ts'

/** Selectable mailbox with a path, or with a special use such as `\Sent`. */
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

/** As `findSelectable`. @throws AppError `not-found` `FolderNotFound` */
export async function getMailbox(db: Db, account: string, path: string): Promise<MailboxRow> {
  const row = await findSelectable(db, account, path)
  if (!row) throw mailboxNotFound()
  return row
}

/** RFC 3501 §5.1: INBOX is case-insensitive, so in the paths of its children. */
function isBelowInbox(path: string): boolean {
  return /^inbox[^\p{L}\p{N}]/iu.test(path)
}

/** Mailbox and UID of a message id. @throws AppError `not-found` `MessageNotFound` after a reset */
export async function locateMessage(
  db: Db,
  account: string,
  id: string,
): Promise<{ row: MailboxRow; uid: number }> {
  const { mailbox, uid } = decodeMessageId(id)
  return { row: await getMailboxByNumber(db, account, mailbox), uid }
}

/** Mailbox with the number that message ids contain. @throws AppError `not-found` */
export async function getMailboxByNumber(
  db: Db,
  account: string,
  number: number,
): Promise<MailboxRow> {
  const row = await findMailboxByNumber(db, account, number)
  if (!row) throw messageNotFound()
  return row
}

/** Selects the mailbox of a message. @throws AppError `not-found` if its UIDVALIDITY has changed */
export async function selectMailboxOf(
  mail: MailSession,
  row: MailboxRow,
  { readOnly }: { readOnly: boolean },
): Promise<void> {
  const { uidValidity } = await selectRow(mail, row, { readOnly, notFound: messageNotFound })
  if (row.uidValidity !== String(uidValidity)) throw messageNotFound()
}

/** Selects a mailbox to list it. NOOP brings the counters of a selected one up to date. */
export async function selectForListing(
  mail: MailSession,
  row: MailboxRow,
  { readOnly = true }: { readOnly?: boolean } = {},
): Promise<SelectedMailboxSummary> {
  return selectRow(mail, row, { readOnly, fresh: true, notFound: mailboxNotFound })
}

/** Part of the account session that `selectIndexed` uses. */
export type IndexingSession = Pick<
  ImapAccountSession,
  'requestReselect' | 'state' | 'storeUidValidity'
>

/**
 * Selects a mailbox whose message ids the response will contain. Ids for a UIDVALIDITY that the
 * sync has not stored would soon be invalid, so the caller must retry. For a mailbox without a
 * sync, the UIDVALIDITY is stored here.
 *
 * @throws AppError `unavailable` if the UIDVALIDITY differs from the stored one
 */
export async function selectIndexed(
  mail: MailSession,
  row: MailboxRow,
  { session, readOnly = true }: { session: IndexingSession; readOnly?: boolean },
): Promise<SelectedMailboxSummary> {
  const selected = await selectForListing(mail, row, { readOnly })
  if (row.uidValidity === String(selected.uidValidity)) return selected
  const stored = await session.storeUidValidity(mail, row, selected.uidValidity)
  if (stored?.number === row.number) return selected
  session.requestReselect(row.id)
  throw indexingError(session.state ?? 'init')
}

const indexing = 'The folder is being indexed'

export function indexingError(state: AccountState): AppError {
  return new AppError('unavailable', indexing, {
    code: 'IMAPUnavailable',
    extras: { state: shownState(state) },
  })
}

export function isIndexingError(error: unknown): boolean {
  return error instanceof AppError && error.message === indexing
}

/** Reads a message; once more after NOOP if the server has not announced it on this connection. */
export async function retryAfterNoop<T>(mail: MailSession, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'MessageNotFound') throw error
    await mail.ping()
    return read()
  }
}

interface SelectOptions {
  notFound: () => AppError
  readOnly: boolean
  fresh?: boolean
}

async function selectRow(
  mail: MailSession,
  { path, uidValidity }: MailboxRow,
  { notFound, readOnly, fresh = false }: SelectOptions,
): Promise<SelectedMailboxSummary> {
  try {
    const selected = await mail.ensureSelected(path, { readOnly, fresh })
    // Only SELECT reveals that a selected mailbox was deleted and created again.
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
