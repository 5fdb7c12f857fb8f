import type { MailSession } from '@posthorn/backends'
import { fieldError, validationError } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { AccountSession } from '../sessions/account-session.ts'
import { findMailbox, type MailboxRow } from '../store/mailboxes.ts'
import { type CommandDeps, withMailServer } from './account.ts'
import { folderNotFound } from './mailbox.ts'

/** Whoever changes something about a mailbox of an account. */
export interface Changing {
  session: AccountSession
  account: string
  signal: AbortSignal
}

/**
 * A mailbox by its path, selectable or not. One that was made elsewhere a moment ago is looked for on the server.
 *
 * @throws AppError `not-found` `FolderNotFound`
 */
export async function getListed(
  deps: CommandDeps,
  changing: Changing,
  path: string,
): Promise<MailboxRow> {
  const found = await lookFor(deps, changing, path)
  if (!found) throw folderNotFound()
  return found
}

/**
 * The same for what the server itself is going to judge: of a mailbox that is not there its refusal is told. Interface spec, "Statuses",
 * 400: NONEXISTENT.
 */
export async function namedMailbox(
  deps: CommandDeps,
  changing: Changing,
  path: string,
): Promise<Pick<MailboxRow, 'path' | 'mailboxId'> & { id?: string }> {
  return (await lookFor(deps, changing, path)) ?? { path, mailboxId: null }
}

async function lookFor(
  { db }: CommandDeps,
  { session, account, signal }: Changing,
  path: string,
): Promise<MailboxRow | undefined> {
  const known = await findListed(db, account, path)
  if (known) return known
  await withMailServer(session, { signal }, (mail) => listAgain(session, mail))
  return findListed(db, account, path)
}

/** RFC 9051 §5.1: INBOX in any case is the primary mailbox. */
async function findListed(
  db: CommandDeps['db'],
  account: string,
  path: string,
): Promise<MailboxRow | undefined> {
  const row = await findMailbox(db, account, path)
  return row ?? (path.toUpperCase() === 'INBOX' ? findMailbox(db, account, 'INBOX') : undefined)
}

/** Brings the stored list of mailboxes up to date. */
export function listAgain(session: AccountSession, mail: MailSession): Promise<void> {
  return session.changeMailboxes(mail, () => Promise.resolve({ done: undefined, told: {} }))
}

/** What cannot be the name of a mailbox is a field of the request that does not do. */
export function asField(error: unknown, field: string): unknown {
  return error instanceof AppError && error.kind === 'invalid' && !error.extras.fields
    ? validationError([fieldError(field, 'cannot be the name of a folder')])
    : error
}
