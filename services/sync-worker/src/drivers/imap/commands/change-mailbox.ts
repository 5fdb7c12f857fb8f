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

/** Options of a mailbox change: a ping detects a stale connection before the change. */
const pingFirst = { prepare: (mail: MailSession) => mail.ping() }

/** Creates a mailbox and lists the mailboxes again. The sync records the events. */
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

/** Deletes a mailbox with its messages. The listing that follows records the event. */
export async function deleteMailbox(
  request: AccountRequest<'deleteMailbox'>,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'deleteMailbox'>> {
  // An unknown path is sent unchanged, so that the client gets the server's rejection. Interface
  // spec, "Statuses", 400: NONEXISTENT.
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

/** Renames a mailbox with its children, then changes the subscription of the mailbox. */
export async function updateMailbox(
  request: UpdateRequest,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'updateMailbox'>> {
  // RFC 9051 §6.3.7: a nonexistent mailbox can be subscribed to, but not renamed.
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
  // RFC 9051 §6.3.6: renaming INBOX moves its messages, but the mailbox stays.
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

/** A rejection after a rename returns the unchanged subscription, because the rename stays. */
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

/** Finds a stored mailbox by path, selectable or not. Lists the server if none is stored. */
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

/** Finds a stored mailbox by its path. RFC 9051 §5.1: INBOX is case-insensitive. */
async function findByPath(db: Db, account: string, path: string): Promise<MailboxRow | undefined> {
  const row = await findMailbox(db, account, path)
  return row ?? (path.toUpperCase() === 'INBOX' ? findMailbox(db, account, 'INBOX') : undefined)
}

/** Lists the mailboxes of the server and stores the differences. */
export function relistMailboxes(target: AccountCommand): Promise<void> {
  const unchanged = () => Promise.resolve({ done: undefined, applied: {} })
  return withMailSession(target, {}, (mail) => target.session.changeMailboxes(mail, unchanged))
}

/** Turns an invalid mailbox name into a validation error of the request field. */
function toFieldError(error: unknown, field: string): unknown {
  return error instanceof AppError && error.kind === 'invalid' && !error.extras.fields
    ? validationError([fieldError(field, 'cannot be the name of a folder')])
    : error
}
