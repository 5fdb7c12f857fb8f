import type { AppendedMessage, AppendOptions, MailSession } from '@posthorn/backends'
import { type CommandContext, type CommandHandler, on } from '@posthorn/bus'
import {
  type CommandRequest,
  type CommandResponse,
  parseDate,
  uploadMessage,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { encodeMessageId } from '@posthorn/message-id'
import { ByteBudget } from '@posthorn/service'
import type { MailboxRow } from '../store/mailboxes.ts'
import { deleteUpload, takeUpload } from '../store/uploads.ts'
import { assertConnected, type CommandDeps, getSession, withMailSession } from './account.ts'
import { getMailbox, selectForListing } from './mailbox.ts'

type Request = CommandRequest<typeof uploadMessage>

/** Bytes of uploads that a worker has in memory at once. */
const budgetBytes = 64 * 1024 * 1024

/**
 * Stores an upload in a folder. Its bytes are taken out of the table before the server is asked: whoever carries the request out again finds
 * nothing, and nothing is stored twice. Whoever asked has no answer then, and may upload again.
 */
export function onUploadMessage(deps: CommandDeps): CommandHandler {
  const budget = new ByteBudget(budgetBytes)
  return on(uploadMessage, async (request, context) => {
    try {
      return await upload(deps, { request, context, budget })
    } catch (error) {
      // Whatever went wrong before the bytes were taken: they are of no use to anybody.
      await deleteUpload(deps.db, request.upload).catch(() => undefined)
      throw error
    }
  })
}

async function upload(
  deps: CommandDeps,
  { request, context, budget }: { request: Request; context: CommandContext; budget: ByteBudget },
): Promise<CommandResponse<typeof uploadMessage>> {
  const session = getSession(deps, request.account)
  assertConnected(session)
  const row = await getMailbox(deps.db, request.account, request.path)
  using _room = await budget.take(request.size, context.signal)
  const mime = await takeUpload(deps.db, { id: request.upload, account: request.account })
  if (!mime)
    throw new AppError('unavailable', 'The upload was given up, try again', {
      code: 'WorkerNotAvailable',
    })
  // The folder is opened first: that it is there is certain then, and the server tells where in it the message came to be.
  let known = row
  const ready = async (mail: MailSession) => {
    const { uidValidity } = await selectForListing(mail, row)
    if (String(uidValidity) !== row.uidValidity)
      known = (await session.storeUidValidity(mail, row, uidValidity)) ?? row
  }
  const errand = { signal: context.signal, mailbox: row.path, longRunning: true, prepare: ready }
  const appended = await withMailSession(session, errand, (mail) =>
    mail.appendMessage(row.path, mime, optionsOf(request)).catch(asUploadFail),
  )
  session.requestSync([row.id])
  return describe(appended, known)
}

/** Interface spec, "502": the folder was confirmed to exist, and the server rejects the message. */
function asUploadFail(error: unknown): never {
  if (!(error instanceof AppError) || (error.kind !== 'rejected' && error.kind !== 'not-found'))
    throw error
  const { info = {} } = error.extras
  const serverCode = error.code === undefined ? {} : { serverResponseCode: error.code }
  throw new AppError('rejected', 'The mail server refused to store the message', {
    code: 'UploadFail',
    extras: { info: { ...info, ...serverCode } },
    cause: error,
  })
}

function optionsOf({ flags, internalDate }: Request): AppendOptions {
  const date = internalDate === undefined ? undefined : parseDate(internalDate)
  return {
    ...(flags === undefined ? {} : { flags }),
    ...(date === undefined ? {} : { internalDate: date }),
  }
}

/** An id is told only for the mailbox as it is known: one of another UIDVALIDITY would lead nowhere. */
function describe(
  { uid, uidValidity, seq }: AppendedMessage,
  { path, number, uidValidity: known }: MailboxRow,
): CommandResponse<typeof uploadMessage> {
  const isKnown = uid !== undefined && uidValidity !== undefined && String(uidValidity) === known
  return {
    ...(isKnown ? { id: encodeMessageId({ mailbox: number, uid }) } : {}),
    path,
    ...(uidValidity === undefined || uid === undefined
      ? {}
      : { uid, uidValidity: String(uidValidity) }),
    ...(seq === undefined ? {} : { seq }),
  }
}
