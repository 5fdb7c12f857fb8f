import type { AppendedMessage, MailSession } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import { parseDate } from '@posthorn/contracts/formats'
import { AppError } from '@posthorn/errors'
import type { Semaphore } from '@posthorn/flow'
import { encodeMessageId } from '@posthorn/message-id'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import { takeUpload } from '../../../store/uploads.ts'
import type { AccountReply, AccountRequest } from '../../account-driver.ts'
import { type AccountCommand, type CommandDeps, withMailSession } from './account.ts'
import { getMailbox, selectForListing } from './mailbox.ts'

type Response = AccountReply<'uploadMessage'>

/** Limit of all uploads that a worker holds in memory, in bytes. */
export const maxUploadBytes = 64 * 1024 * 1024

export interface UploadDeps extends CommandDeps {
  /** Bytes of uploaded messages in memory. */
  uploadMemory: Semaphore
}

/**
 * Appends an uploaded message to a mailbox. Deletes the bytes from the uploads table before the
 * APPEND, so that a redelivered request cannot append twice. The requester of the first request
 * then gets no reply and may upload again.
 */
export async function uploadMessage(
  request: AccountRequest<'uploadMessage'>,
  { account, session, signal }: AccountCommand,
  { db, uploadMemory }: UploadDeps,
): Promise<Response> {
  const row = await getMailbox(db, account, request.path)
  using _permit = await uploadMemory.acquire(signal, request.size)
  const mime = await takeUpload(db, { id: request.upload, account })
  if (!mime)
    throw new AppError('unavailable', 'The upload was cancelled, upload the message again', {
      code: 'WorkerNotAvailable',
    })
  // Selecting the mailbox first proves that the mailbox exists; the server then reports the UID of
  // the appended message.
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

/**
 * Converts a rejected APPEND to an `UploadFail` error. Interface spec, "502": the mailbox exists,
 * and the server rejects the message.
 */
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

/**
 * Describes an appended message. Contains a message id only if the UIDVALIDITY is the stored
 * UIDVALIDITY; other ids would be invalid.
 */
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
