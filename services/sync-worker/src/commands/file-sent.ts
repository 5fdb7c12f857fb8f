import type { MailSession } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import {
  type CommandRequest,
  type CommandResponse,
  defined,
  fileSent,
  findSent,
} from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { KeyedMutex, Semaphore } from '@posthorn/flow'
import type { MailboxRow } from '../store/mailboxes.ts'
import { findOutboxSize, readOutbox } from '../store/outbox.ts'
import {
  type AccountCommand,
  assertConnected,
  type CommandDeps,
  getSession,
  onAccount,
  withMailSession,
} from './account.ts'
import { changeMessage, deletePermanently, findTrash } from './change-message.ts'
import { findSelectable, getMailbox, locateMessage, selectForListing } from './mailbox.ts'

type Request = CommandRequest<typeof fileSent>
type Reference = NonNullable<Request['reference']>

interface Filing extends AccountCommand {
  request: Request
  /** Bytes of copies in memory. */
  memory: Semaphore
  /** Steps that the server rejects permanently, with the reason. */
  skipped: string[]
}

/** Limit of all copies that a worker holds in memory, in bytes. */
const maxCopyBytes = 64 * 1024 * 1024

/**
 * Files a sent message: Sent copy, flag on the referenced message, removal of the draft. In this
 * order the draft exists until its copy does. Each step detects that it was completed before.
 * Requests for the same message run one after the other, so that the second finds the copy.
 */
export function onFileSent(deps: CommandDeps): CommandHandler {
  const memory = new Semaphore(maxCopyBytes)
  const mutex = new KeyedMutex<string>()
  return on(fileSent, (request, { signal }) => {
    const { account, queueId } = request
    const work = () => {
      signal.throwIfAborted()
      const session = getSession(deps, account)
      return file(deps, { account, session, signal, request, memory, skipped: [] })
    }
    return mutex.run(queueId, work, signal)
  })
}

/** Finds a message in the mailbox where the server files sent messages. */
export function onFindSent(deps: CommandDeps): CommandHandler {
  return onAccount(deps, findSent, async ({ messageId, sentMailPath }, target) => {
    const { row } = await getSentMailbox(deps.db, target.account, sentMailPath)
    const search = (mail: MailSession) => containsMessage(mail, row, messageId)
    return { found: await withMailSession(target, { mailbox: row.path }, search) }
  })
}

async function file(deps: CommandDeps, filing: Filing): Promise<CommandResponse<typeof fileSent>> {
  const { request, session, skipped } = filing
  const { reference, draft } = request
  assertConnected(session)
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

async function copyToSent({ db }: CommandDeps, filing: Filing): Promise<string> {
  const { request, session, signal, memory, skipped } = filing
  const { account, sentMailPath, messageId } = request
  const { row, isFallback } = await getSentMailbox(db, account, sentMailPath)
  if (isFallback) skipped.push('requested mailbox: it does not exist')
  const size = await findOutboxSize(db, request)
  if (size === undefined) throw contentNotFound()
  using _permit = await memory.acquire(signal, size)
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
 * Forwarded messages get `\Answered`, too: not every client shows `$Forwarded` (RFC 9051 §2.3.2).
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

/** Records a step that the server will always reject. Temporary failures pass, for a retry. */
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

/** Age limit of the search for a copy, so that servers need not read older messages. */
const maxCopyAgeMs = 3 * 24 * 60 * 60_000

/**
 * Mailbox of sent messages: the requested one, else the account's own.
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

/** True if the mailbox contains a recent message with this Message-ID. Selects the mailbox. */
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
