import type { AppendedMessage, MailSession } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import {
  type CommandRequest,
  type CommandResponse,
  defined,
  parseDate,
  uploadMessage,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { Semaphore } from '@posthorn/flow'
import { encodeMessageId } from '@posthorn/message-id'
import type { MailboxRow } from '../store/mailboxes.ts'
import { deleteUpload, takeUpload } from '../store/uploads.ts'
import { assertConnected, type CommandDeps, getSession, withMailSession } from './account.ts'
import { getMailbox, selectForListing } from './mailbox.ts'

type Request = CommandRequest<typeof uploadMessage>
type Response = CommandResponse<typeof uploadMessage>

/** Limit of all uploads that a worker holds in memory, in bytes. */
const maxUploadBytes = 64 * 1024 * 1024

/**
 * Appends an uploaded message to a mailbox. Deletes the bytes from the table before the APPEND, so
 * that a redelivered request cannot append twice. The requester of the first one then gets no reply
 * and may upload again.
 */
export function onUploadMessage(deps: CommandDeps): CommandHandler {
  const memory = new Semaphore(maxUploadBytes)
  return on(uploadMessage, async (request, { signal }) => {
    try {
      return await upload(deps, { request, signal, memory })
    } catch (error) {
      // Deletes the bytes if the failure came earlier; no request refers to them any more.
      await deleteUpload(deps.db, request.upload).catch(() => undefined)
      throw error
    }
  })
}

async function upload(
  deps: CommandDeps,
  { request, signal, memory }: { request: Request; signal: AbortSignal; memory: Semaphore },
): Promise<Response> {
  const { account } = request
  const session = getSession(deps, account)
  assertConnected(session)
  const row = await getMailbox(deps.db, account, request.path)
  using _permit = await memory.acquire(signal, request.size)
  const mime = await takeUpload(deps.db, { id: request.upload, account })
  if (!mime)
    throw new AppError('unavailable', 'The upload was cancelled, upload the message again', {
      code: 'WorkerNotAvailable',
    })
  // Selecting first proves that the mailbox exists; the server then reports the new UID.
  let current = row
  const prepare = async (mail: MailSession) => {
    const { uidValidity } = await selectForListing(mail, row)
    if (String(uidValidity) !== row.uidValidity)
      current = (await session.storeUidValidity(mail, row, uidValidity)) ?? row
  }
  const internalDate =
    request.internalDate === undefined ? undefined : parseDate(request.internalDate)
  const options = defined({ flags: request.flags, internalDate })
  const connection = { mailbox: row.path, longRunning: true, prepare }
  const appended = await withMailSession({ session, signal }, connection, (mail) =>
    mail.appendMessage(row.path, mime, options).catch(toUploadFail),
  )
  session.requestSync([row.id])
  return describe(appended, current)
}

/** Interface spec, "502": the mailbox exists, and the server rejects the message. */
function toUploadFail(error: unknown): never {
  if (!(error instanceof AppError) || (error.kind !== 'rejected' && error.kind !== 'not-found'))
    throw error
  const info = defined({ ...error.extras.info, serverResponseCode: error.code })
  throw new AppError('rejected', 'The mail server refused to store the message', {
    code: 'UploadFail',
    extras: { info },
    cause: error,
  })
}

/** Contains an id only if the UIDVALIDITY is the stored one; other ids would be invalid. */
function describe(
  { uid, uidValidity, seq }: AppendedMessage,
  { path, number, uidValidity: stored }: MailboxRow,
): Response {
  const reported =
    uid === undefined || uidValidity === undefined
      ? undefined
      : { uid, uidValidity: String(uidValidity) }
  const isStored = reported?.uidValidity === stored
  return defined({
    id: reported && isStored ? encodeMessageId({ mailbox: number, uid: reported.uid }) : undefined,
    path,
    ...reported,
    seq,
  })
}
