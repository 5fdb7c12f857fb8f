import type { MailSession } from '@posthorn/backends'
import { fieldError, validationError } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { AccountSession } from '../sessions/account-session.ts'
import { findMailbox, type MailboxRow } from '../store/mailboxes.ts'
import { type CommandDeps, withMailSession } from './account.ts'
import { mailboxNotFound } from './mailbox.ts'

/** Whoever changes something about a mailbox of an account. */
export interface AccountCommand {
  session: AccountSession
  account: string
  signal: AbortSignal
}

/**
 * A mailbox by its path, selectable or not. One that was made elsewhere a moment ago is looked for on the server.
 *
 * @throws AppError `not-found` `FolderNotFound`
 */
export async function getListedMailbox(
  deps: CommandDeps,
  changing: AccountCommand,
  path: string,
): Promise<MailboxRow> {
  const found = await findOrRelist(deps, changing, path)
  if (!found) throw mailboxNotFound()
  return found
}

/**
 * The same for what the server itself is going to judge: of a mailbox that is not there its refusal is told. Interface spec, "Statuses",
 * 400: NONEXISTENT.
 */
export async function resolveMailbox(
  deps: CommandDeps,
  changing: AccountCommand,
  path: string,
): Promise<Pick<MailboxRow, 'path' | 'mailboxId'> & { id?: string }> {
  return (await findOrRelist(deps, changing, path)) ?? { path, mailboxId: null }
}

async function findOrRelist(
  { db }: CommandDeps,
  { session, account, signal }: AccountCommand,
  path: string,
): Promise<MailboxRow | undefined> {
  const known = await findByPath(db, account, path)
  if (known) return known
  await withMailSession(session, { signal }, (mail) => relistMailboxes(session, mail))
  return findByPath(db, account, path)
}

/** RFC 9051 §5.1: INBOX in any case is the primary mailbox. */
async function findByPath(
  db: CommandDeps['db'],
  account: string,
  path: string,
): Promise<MailboxRow | undefined> {
  const row = await findMailbox(db, account, path)
  return row ?? (path.toUpperCase() === 'INBOX' ? findMailbox(db, account, 'INBOX') : undefined)
}

/** Brings the stored list of mailboxes up to date. */
export function relistMailboxes(session: AccountSession, mail: MailSession): Promise<void> {
  return session.changeMailboxes(mail, () => Promise.resolve({ done: undefined, applied: {} }))
}

/** What cannot be the name of a mailbox is a field of the request that does not do. */
export function toFieldError(error: unknown, field: string): unknown {
  return error instanceof AppError && error.kind === 'invalid' && !error.extras.fields
    ? validationError([fieldError(field, 'cannot be the name of a folder')])
    : error
}
