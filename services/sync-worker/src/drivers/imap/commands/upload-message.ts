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

/** Maximum bytes of all uploaded messages that a worker holds in memory. */
export const maxUploadBytes = 64 * 1024 * 1024

export interface UploadDeps extends CommandDeps {
  /** Weighted semaphore that limits the bytes of uploaded messages in memory. */
  uploadMemory: Semaphore
}

/**
 * Appends an uploaded message to a mailbox. Deletes the row of the upload before the APPEND, so
 * that a redelivered request cannot append the message twice. In that case the requester of the
 * first request gets no reply and may upload the message again.
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
  // Before the upload, the target mailbox is selected. This proves that the mailbox exists, and
  // makes the server report the UID of the appended message.
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
 * Converts the error of a rejected APPEND to an `UploadFail` error (interface spec, "502"): the
 * mailbox exists, but the server rejects the message.
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
 * Describes an appended message. The message id is absent if the reported UIDVALIDITY differs from
 * the stored UIDVALIDITY, because the id would be invalid.
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
