import type { MailSession } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Semaphore } from '@posthorn/flow'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import { findOutboxSize, readOutbox } from '../../../store/outbox.ts'
import type { AccountReply, AccountRequest } from '../../account-driver.ts'
import { type AccountCommand, type CommandDeps, withMailSession } from './account.ts'
import { changeMessage, deletePermanently, findTrash } from './change-message.ts'
import { findSelectable, getMailbox, locateMessage, selectForListing } from './mailbox.ts'

type Request = AccountRequest<'fileSent'>
type Reference = NonNullable<Request['reference']>

interface Filing extends AccountCommand {
  request: Request
  /** Filing steps (work after sending) that the server rejects permanently, with the reason. */
  skipped: string[]
}

/** Maximum bytes of all Sent copies that a worker holds in memory. */
export const maxCopyBytes = 64 * 1024 * 1024

export interface FilingDeps extends CommandDeps {
  /** Weighted semaphore that limits the bytes of Sent copies in memory. */
  copyMemory: Semaphore
}

/**
 * Files a sent message: stores the Sent copy, flags the message that was answered or forwarded,
 * then removes the draft. The draft is removed last, so that it exists until the Sent copy exists.
 * Each step detects that it was completed by an earlier attempt.
 */
export async function fileSent(
  request: Request,
  target: AccountCommand,
  deps: FilingDeps,
): Promise<AccountReply<'fileSent'>> {
  const { reference, draft } = request
  const skipped: string[] = []
  const filing: Filing = { ...target, request, skipped }
  const path = request.copy ? await copyToSent(deps, filing) : undefined
  if (reference)
    await skipPermanentFailure(skipped, 'flag on the referenced message', () =>
      flagReference(deps, filing, reference),
    )
  if (draft !== undefined)
    await skipPermanentFailure(skipped, 'removal of the draft', () =>
      removeDraft(deps, filing, draft),
    )
  return defined({ path, skipped })
}

/** Finds a sent message in the mailbox where the server files sent messages. */
export async function findSent(
  { messageId, sentMailPath }: AccountRequest<'findSent'>,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'findSent'>> {
  const { row } = await getSentMailbox(deps.db, target.account, sentMailPath)
  const search = (mail: MailSession) => containsMessage(mail, row, messageId)
  return { found: await withMailSession(target, { mailbox: row.path }, search) }
}

async function copyToSent({ db, copyMemory }: FilingDeps, filing: Filing): Promise<string> {
  const { request, session, signal, skipped } = filing
  const { account, sentMailPath, messageId } = request
  const { row, isFallback } = await getSentMailbox(db, account, sentMailPath)
  if (isFallback) skipped.push('requested mailbox: it does not exist')
  const size = await findOutboxSize(db, request)
  if (size === undefined) throw contentNotFound()
  using _permit = await copyMemory.acquire(signal, size)
  await withMailSession(filing, { mailbox: row.path, longRunning: true }, async (mail) => {
    if (await containsMessage(mail, row, messageId)) return
    const mime = await readOutbox(db, request, size)
    if (!mime) throw contentNotFound()
    signal.throwIfAborted()
    await mail.appendMessage(row.path, mime, { flags: ['\\Seen'] })
    session.requestSync([row.id])
  })
  return row.path
}

/**
 * Flags to set on the message that was answered or forwarded. A forwarded message also gets
 * `\Answered`, because some clients do not show `$Forwarded` (RFC 9051 §2.3.2).
 */
const referenceFlags: Record<Reference['action'], readonly string[]> = {
  reply: ['\\Answered'],
  'reply-all': ['\\Answered'],
  forward: ['\\Answered', '$Forwarded'],
}

async function flagReference(
  { db }: CommandDeps,
  filing: Filing,
  { message, action }: Reference,
): Promise<void> {
  const position = await locateMessage(db, filing.account, message)
  await changeMessage(filing, position, (mail, uids) =>
    mail.changeFlags(uids, { add: referenceFlags[action] }),
  )
}

async function removeDraft(deps: CommandDeps, filing: Filing, draft: string): Promise<void> {
  const { row, uid } = await locateMessage(deps.db, filing.account, draft)
  const trash = await findTrash(deps, filing.account)
  await changeMessage(filing, { row, uid }, (mail, uids) =>
    deletePermanently(mail, uids, { row, trash }),
  )
}

/**
 * Runs one step of the filing (mailbox work after sending). If the server rejects the step
 * permanently, records the step as skipped. Throws temporary failures, so that the filing is
 * retried.
 */
async function skipPermanentFailure(
  skipped: string[],
  step: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isPermanent =
      error instanceof AppError &&
      ['not-found', 'invalid', 'rejected', 'unprocessable'].includes(error.kind)
    if (!isPermanent) throw error
    skipped.push(`${step}: ${error.message}`)
  }
}

function contentNotFound(): AppError {
  return new AppError('not-found', 'The content of the message was deleted')
}

/** Maximum age of messages in the search for a Sent copy. Limits the work of the server. */
const maxCopyAgeMs = 3 * 24 * 60 * 60_000

/**
 * Finds the mailbox for sent messages: the requested mailbox, otherwise the account's mailbox with
 * the special use `\Sent`.
 *
 * @throws AppError `not-found` `FolderNotFound`
 */
async function getSentMailbox(
  db: Db,
  account: string,
  requestedPath: string | undefined,
): Promise<{ row: MailboxRow; isFallback: boolean }> {
  if (requestedPath === undefined)
    return { row: await getMailbox(db, account, '\\Sent'), isFallback: false }
  const requested = await findSelectable(db, account, requestedPath)
  const row = requested ?? (await getMailbox(db, account, '\\Sent'))
  return { row, isFallback: !requested }
}

/** Selects a mailbox. True if the mailbox contains a recent message with a Message-ID. */
async function containsMessage(
  mail: MailSession,
  row: MailboxRow,
  messageId: string,
): Promise<boolean> {
  await selectForListing(mail, row)
  const since = new Date(Date.now() - maxCopyAgeMs)
  const uids = await mail.search({ since, header: { 'Message-ID': messageId } })
  return uids.length > 0
}
