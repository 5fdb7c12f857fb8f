import type { MailSession } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import { validationError } from '@posthorn/contracts/validate'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { findMailbox, type MailboxRow } from '../../../store/mailboxes.ts'
import type { AccountReply, AccountRequest } from '../../account-driver.ts'
import type { ImapAccountSession } from '../connections/imap-account-session.ts'
import { type AccountCommand, type CommandDeps, withMailSession } from './account.ts'
import { mailboxNotFound } from './mailbox.ts'

type UpdateRequest = AccountRequest<'updateMailbox'>

/**
 * Options of commands that change mailboxes: before the change, a ping detects a stale IMAP
 * connection.
 */
const pingFirst = { prepare: (mail: MailSession) => mail.ping() }

/**
 * Creates a mailbox, then lists the mailboxes again. The next sync of the new mailbox records its
 * `mailboxNew`.
 */
export function createMailbox(
  { path }: AccountRequest<'createMailbox'>,
  target: AccountCommand,
): Promise<AccountReply<'createMailbox'>> {
  return withMailSession(target, pingFirst, (mail) =>
    target.session.changeMailboxes(mail, async () => {
      try {
        const created = await mail.createMailbox(path)
        return { done: created, applied: { created } }
      } catch (error) {
        throw toFieldError(error, 'path')
      }
    }),
  )
}

/**
 * Deletes a mailbox with its messages. The LIST command after the deletion records
 * `mailboxDeleted`.
 */
export async function deleteMailbox(
  request: AccountRequest<'deleteMailbox'>,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'deleteMailbox'>> {
  // If the path of the mailbox to delete is unknown, the path is sent to the mail server unchanged,
  // so that the client receives the server's rejection. Interface spec, "Statuses", 400:
  // NONEXISTENT.
  const row = await findOrRelist(deps, target, request.path)
  const { path, mailboxId } = row ?? { path: request.path, mailboxId: null }
  await withMailSession(target, pingFirst, (mail) =>
    target.session.changeMailboxes(mail, async () => ({
      done: await mail.deleteMailbox(path),
      applied: { deleted: path },
    })),
  )
  return defined({ path, mailboxId: mailboxId ?? undefined, deleted: true })
}

/** Renames a mailbox with its children, then changes whether the mailbox is subscribed. */
export async function updateMailbox(
  request: UpdateRequest,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'updateMailbox'>> {
  // A client can subscribe to a mailbox that does not exist (RFC 9051 §6.3.7), but not rename it.
  const row = await findOrRelist(deps, target, request.path)
  if (!row && request.newPath === undefined) throw mailboxNotFound()
  return withMailSession(target, pingFirst, (mail) =>
    update(target.session, mail, { row, request }),
  )
}

async function update(
  session: ImapAccountSession,
  mail: MailSession,
  { row, request }: { row: MailboxRow | undefined; request: UpdateRequest },
): Promise<AccountReply<'updateMailbox'>> {
  const path = row?.path ?? request.path
  const response = await session.changeMailboxes(mail, async () => {
    const newPath = await rename(mail, path, request.newPath)
    const isRenamed = newPath !== undefined
    const subscribed = await subscribe(mail, newPath ?? path, {
      subscribed: request.subscribed,
      isRenamed,
    })
    return {
      done: defined({ newPath, renamed: isRenamed || undefined, subscribed }),
      applied: isRenamed ? { renamed: { from: path, to: newPath } } : {},
    }
  })
  // If INBOX is renamed, its messages move, but the mailbox INBOX stays (RFC 9051 §6.3.6). INBOX is
  // therefore synced again.
  if (response.renamed && row) session.requestSync([row.id])
  return defined({ path, ...response, mailboxId: row?.mailboxId ?? undefined })
}

async function rename(
  mail: MailSession,
  path: string,
  newPath: UpdateRequest['newPath'],
): Promise<string | undefined> {
  if (newPath === undefined) return undefined
  try {
    return await mail.renameMailbox(path, newPath)
  } catch (error) {
    throw toFieldError(error, 'newPath')
  }
}

/**
 * Changes whether a mailbox is subscribed. If the server rejects the change after a rename, returns
 * the unchanged value instead of failing, because the rename stays.
 */
async function subscribe(
  mail: MailSession,
  path: string,
  { subscribed, isRenamed }: { subscribed: boolean | undefined; isRenamed: boolean },
): Promise<boolean | undefined> {
  if (subscribed === undefined) return undefined
  try {
    await mail.subscribe(path, subscribed)
    return subscribed
  } catch (error) {
    if (isRenamed && error instanceof AppError && error.kind === 'rejected') return !subscribed
    throw error
  }
}

/**
 * Finds a stored mailbox by path, even if the mailbox cannot be selected. If no row has the path,
 * lists the server's mailboxes first.
 */
async function findOrRelist(
  { db }: CommandDeps,
  target: AccountCommand,
  path: string,
): Promise<MailboxRow | undefined> {
  const row = await findByPath(db, target.account, path)
  if (row) return row
  await relistMailboxes(target)
  return findByPath(db, target.account, path)
}

/** Finds a stored mailbox by its path. The path INBOX is case-insensitive (RFC 9051 §5.1). */
async function findByPath(db: Db, account: string, path: string): Promise<MailboxRow | undefined> {
  const row = await findMailbox(db, account, path)
  return row ?? (path.toUpperCase() === 'INBOX' ? findMailbox(db, account, 'INBOX') : undefined)
}

/** Lists the mailboxes of the server and updates the stored mailbox list. */
export function relistMailboxes(target: AccountCommand): Promise<void> {
  const unchanged = () => Promise.resolve({ done: undefined, applied: {} })
  return withMailSession(target, {}, (mail) => target.session.changeMailboxes(mail, unchanged))
}

/** Converts the error of an invalid mailbox name to a validation error of the request field. */
function toFieldError(error: unknown, field: string): unknown {
  return error instanceof AppError && error.kind === 'invalid' && !error.extras.fields
    ? validationError([fieldError(field, 'cannot be the name of a folder')])
    : error
}
