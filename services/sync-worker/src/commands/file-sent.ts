import { type CommandContext, type CommandHandler, on } from '@posthorn/bus'
import { type CommandRequest, type CommandResponse, fileSent } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { ByteBudget } from '@posthorn/service'
import type { AccountSession } from '../sessions/account-session.ts'
import { findOutboxSize, readOutbox } from '../store/outbox.ts'
import { assertConnected, type CommandDeps, getSession, withMailSession } from './account.ts'
import { deletePermanently, findTrash, prepareChange } from './change-message.ts'
import { locateMessage } from './mailbox.ts'
import { getSentMailbox, containsMessage } from './sent-mailbox.ts'

type Request = CommandRequest<typeof fileSent>
type Reference = NonNullable<Request['reference']>

interface Filing {
  request: Request
  session: AccountSession
  signal: CommandContext['signal']
}

/** Bytes of copies that a worker has in memory at once. */
const budgetBytes = 64 * 1024 * 1024

/**
 * Files a message that was sent: copy, flag, draft, in this order, so that a draft is there as long as its copy is not. Each step finds
 * what was done already. Of two requests for the same message the second waits for the first, whose copy it could not see yet.
 */
export function onFileSent(deps: CommandDeps): CommandHandler {
  const budget = new ByteBudget(budgetBytes)
  const running = new Map<string, Promise<unknown>>()
  return on(fileSent, async (request, { signal }) => {
    const before = running.get(request.queueId)
    const filed = (async () => {
      await before?.catch(() => undefined)
      signal.throwIfAborted()
      return file(deps, { request, session: getSession(deps, request.account), signal }, budget)
    })()
    running.set(request.queueId, filed)
    try {
      return await filed
    } finally {
      if (running.get(request.queueId) === filed) running.delete(request.queueId)
    }
  })
}

async function file(
  deps: CommandDeps,
  filing: Filing,
  budget: ByteBudget,
): Promise<CommandResponse<typeof fileSent>> {
  const { request, session } = filing
  const { reference, draft } = request
  assertConnected(session)
  const skipped: string[] = []
  const path = request.copy ? await copyToSent(deps, { ...filing, skipped }, budget) : undefined
  if (reference)
    await skipPermanentFailure(skipped, 'the flag on the message it refers to', () =>
      flagReference(deps, filing, reference),
    )
  if (draft !== undefined)
    await skipPermanentFailure(skipped, 'the removal of the draft', () =>
      removeDraft(deps, filing, draft),
    )
  return { ...(path === undefined ? {} : { path }), skipped }
}

async function copyToSent(
  { db }: CommandDeps,
  { request, session, signal, skipped }: Filing & { skipped: string[] },
  budget: ByteBudget,
): Promise<string> {
  const { account, sentMailPath, messageId } = request
  const { row, instead } = await getSentMailbox(db, account, sentMailPath)
  if (instead) skipped.push('the folder that was asked for: it does not exist')
  const size = await findOutboxSize(db, request)
  if (size === undefined) throw contentNotFound()
  using _room = await budget.take(size, signal)
  const errand = { signal, mailbox: row.path, longRunning: true }
  await withMailSession(session, errand, async (mail) => {
    if (await containsMessage(mail, row, messageId)) return
    const mime = await readOutbox(db, request, size)
    if (!mime) throw contentNotFound()
    signal.throwIfAborted()
    await mail.appendMessage(row.path, mime, { flags: ['\\Seen'] })
    session.requestSync([row.id])
  })
  return row.path
}

/** One that was passed on is dealt with as well: not every client shows `$Forwarded` (RFC 9051 §2.3.2). */
const flagsOf: Record<Reference['action'], readonly string[]> = {
  reply: ['\\Answered'],
  'reply-all': ['\\Answered'],
  forward: ['\\Answered', '$Forwarded'],
}

async function flagReference(
  { db }: CommandDeps,
  { request: { account }, session, signal }: Filing,
  { message, action }: Reference,
): Promise<void> {
  const { row, uid } = await locateMessage(db, account, message)
  const errand = { signal, mailbox: row.path, prepare: prepareChange({ row, uid }) }
  await withMailSession(session, errand, (mail) =>
    mail.changeFlags([[uid, uid]], { add: flagsOf[action] }),
  )
  session.requestSync([row.id])
}

async function removeDraft(
  deps: CommandDeps,
  { request: { account }, session, signal }: Filing,
  draft: string,
): Promise<void> {
  const { row, uid } = await locateMessage(deps.db, account, draft)
  const trash = await findTrash(deps, account)
  const errand = { signal, mailbox: row.path, prepare: prepareChange({ row, uid }) }
  await withMailSession(session, errand, (mail) =>
    deletePermanently(mail, [[uid, uid]], { row, trash }),
  )
  session.requestSync([row.id])
}

/** What the server will refuse again is left out and told of; anything else is for another try. */
async function skipPermanentFailure(
  skipped: string[],
  step: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isFinal =
      error instanceof AppError &&
      ['not-found', 'invalid', 'rejected', 'unprocessable'].includes(error.kind)
    if (!isFinal) throw error
    skipped.push(`${step}: ${error.message}`)
  }
}

function contentNotFound(): AppError {
  return new AppError('not-found', 'The bytes of the message are not kept any more')
}
